from ui.router import open_page

open_page("published_tables")
