"""The room and the review in a browser, and the HTTP API: `greenroom serve` and `greenroom review`.

`api/` answers programs in JSON, `pages/` people in HTML: the file is named after the address.
`html/` holds the pages' templates and `static/` their style and scripts, under the same names.
"""
