"""The room and the review in a browser, and the HTTP API: `greenroom serve` and `greenroom review`.

`api/` answers programs in JSON, `pages/` answers people in HTML; each file is named after its address.
`html/` contains the pages' templates and `static/` their style and scripts, under the same names.
"""
