"""The papers that questions draw on, named once."""

P0 = "Das, Zhu, Task, Van Hentenryck and Fioretto 2024 (P0)"
P1 = "Zhu, Fioretto, Van Hentenryck, Das and Task 2023 (P1)"
P2 = "Das, Tajeddine and Fioretto (P2)"
P3 = "Bailie, Gong and Meng 2023 (P3)"
SNOKE = "Snoke, Raab, Nowok, Dibben and Slavković 2018"
PUJOL = "Pujol, McKenna, Kuppam, Hay, Machanavajjhala and Miklau 2020"
SDNIST = "NIST SDNist"
