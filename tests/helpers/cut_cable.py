"""A proxy of sockets: a port of loopback for each port that it is given. Stopped, it is a cut cable.

    python cut_cable.py PORT…

It prints `listening` and its own ports, in the order of those that it was given.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from functools import partial


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _join(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        there, to = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(_pass(reader, to), _pass(there, writer))


async def main(ports: list[int]) -> None:
    """Listen, until the process is ended."""
    servers = [await asyncio.start_server(partial(_join, port), "127.0.0.1", 0) for port in ports]
    own = [str(one.sockets[0].getsockname()[1]) for one in servers]
    sys.stdout.write(" ".join(["listening", *own]) + "\n")
    sys.stdout.flush()
    await asyncio.gather(*(one.serve_forever() for one in servers))


if __name__ == "__main__":
    asyncio.run(main([int(one) for one in sys.argv[1:]]))
