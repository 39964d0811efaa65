from ui.router import open_page

open_page("told_apart")
