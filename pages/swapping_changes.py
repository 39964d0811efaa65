from ui.router import open_page

open_page("swapping_changes")
