"""The only package that makes clients for other servers: where a request goes, and what comes back.

No redirect is followed, a server on this machine is never asked through a proxy, and a reply has a
bound. A test walks the package for clients that are made anywhere else (tests/outbound).
"""
