"""The figures, tables and sentences of five papers as items that are run, drawn, judged and written by one command.

A paper is a module of data, or a folder of such (`symlie.papers.tumiotto2024`): its items name studies, curves, numbers
and bounds. Who does what: `studies` runs models, `measures` reads results, `running` computes and judges items,
`drawing` draws them, and `pages` writes Markdown, CSV and JSON.
"""
