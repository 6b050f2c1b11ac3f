"""Who sees what: who a person is, what each address and tool needs, and who did what.

Nothing of this is used where the setting `access` is not set (`greenroom help organisation`).
"""
