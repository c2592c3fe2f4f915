"""Interactive pages that animate a solution in space: their data and the HTML file that contains them."""
