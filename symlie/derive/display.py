def markdown(e): return ""
def latex(e): return ""
