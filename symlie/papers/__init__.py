"""Figures, tables and claims of five papers as items that one command runs, draws, checks and writes.

A paper is a module or a package of data (`symlie.papers.tumiotto2024`): its items combine studies, curves, numbers and
bounds. `studies` runs models, `measures` reads results, `running` computes and checks items, `drawing` draws them, and
`pages` writes Markdown, CSV and JSON.
"""
