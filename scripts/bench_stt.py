"""What speech to text gets wrong, what it costs, and how soon a caption is there.

    scripts/bench stt [FOLDER]    FOLDER holds NAME.wav or NAME.flac with NAME.txt, what is said in it
                                  (../shared/data/audio/librivox, and jfk.flac beside it)

Word error rate: substituted, left out and added words, by the words of the reference. Both sides are in
lower case without punctuation, a hyphen divides words, and "Mr." is "mister"; the references hold no
figures. Delay: the clips are played in real time into the WebSocket of a server on this machine; it is
counted from the last window with a voice to the caption.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.core.errors import GreenroomError  # noqa: E402 (the path is set first)
from orchestrator.material.speech.recognition import Whisper, recogniser_of  # noqa: E402
from orchestrator.material.speech.sound import decoded_sound, read_sound  # noqa: E402
from orchestrator.material.speech.voice import RATE_HZ, SAMPLE_BYTES, Voice  # noqa: E402
from orchestrator.material.values import LiveSegment  # noqa: E402
from orchestrator.panel.home import Home  # noqa: E402

JFK = (
    "And so my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)
AIM = 0.10
DELAY_AIM_S = 1.5
LAST_WITHIN_S = 10.0
"""How long the last caption may take: on a busy machine it came behind a client that left after the aim."""
GAP_S = 1.5
FRAME_S = 0.1
BYTES_A_SECOND = RATE_HZ * SAMPLE_BYTES
WRITTEN = {"mr": "mister"}


def words(text: str) -> list[str]:
    plain = re.sub(r"[^\w\s']", "", text.lower().replace("-", " "))
    return [WRITTEN.get(word, word) for word in plain.split()]


def errors(reference: Sequence[str], heard: Sequence[str]) -> int:
    """The least number of words to substitute, leave out and add (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(reference, start=1):
        before, row[0] = row[0], number
        for at, other in enumerate(heard, start=1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (word != other))
    return row[-1]


def clips_of(folder: Path) -> list[tuple[Path, str]]:
    sounds = sorted([*folder.glob("*.wav"), *folder.glob("*.flac")])
    clips = [
        (one, one.with_suffix(".txt").read_text("utf-8"))
        for one in sounds
        if one.with_suffix(".txt").is_file()
    ]
    famous = folder.parent / "jfk.flac"
    return [*clips, (famous, JFK)] if famous.is_file() else clips


def decoded(path: Path) -> bytes:
    with path.open("rb") as file:
        return b"".join(decoded_sound(file, path.suffix[1:]))


def heard_in(path: Path, recogniser: Whisper) -> list[LiveSegment]:
    with path.open("rb") as file:
        return read_sound(file, path.suffix, recogniser)


def bench_words(clips: Sequence[tuple[Path, str]], recogniser: Whisper) -> bool:
    wrong = count = 0
    took_s = length_s = 0.0
    heard_in(clips[0][0], recogniser)  # loads the model
    for path, reference in clips:
        begin = perf_counter()
        heard = words(" ".join(one.text for one in heard_in(path, recogniser)))
        took_s += perf_counter() - begin
        length_s += len(decoded(path)) / BYTES_A_SECOND
        said = words(reference)
        wrong += errors(said, heard)
        count += len(said)
        print(f"  {path.name:34} {errors(said, heard):2} of {len(said):2} words wrong")
    rate = wrong / count
    print(
        f"word error rate {rate:.1%} of {count} words (aim {AIM:.0%}: {'kept' if rate <= AIM else 'MISSED'})"
    )
    print(f"real-time factor {took_s / length_s:.2f} ({took_s:.1f} s for {length_s:.1f} s of sound)")
    return rate <= AIM


def bench_delay(clips: Sequence[tuple[Path, str]], recogniser: Whisper) -> bool:
    """Play the clips into a room in real time."""
    gap = bytes(int(GAP_S * RATE_HZ) * SAMPLE_BYTES)
    sound = gap + b"".join(decoded(path) + gap for path, _ in clips)
    voice = Voice(recogniser.detector())
    ends_s = [stretch.end_s for stretch in (*voice.take(sound), *voice.close())]
    with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
        at_s, partials = _play(Path(folder) / "home", sound, recogniser)
    delays = [at - end for at, end in zip(at_s, ends_s, strict=True)]
    kept = median(delays) <= DELAY_AIM_S
    print(
        f"caption after the end of a sentence: median {median(delays):.2f} s, longest {max(delays):.2f} s, "
        f"{len(delays)} sentences (aim {DELAY_AIM_S:g} s: {'kept' if kept else 'MISSED'})"
    )
    print(f"partial captions: one every {len(sound) / BYTES_A_SECOND / max(1, partials):.2f} s of sound")
    return kept


def _play(home: Path, sound: bytes, recogniser: Whisper) -> tuple[list[float], int]:
    """When each caption came, in seconds since the sound began; and how many partial ones."""
    import uvicorn
    from websockets.sync.client import connect

    from orchestrator.rehearsal.rehearsal import Rehearsal
    from orchestrator.web.open_sessions import OpenSessions
    from orchestrator.web.server import application
    from orchestrator.web.site import Site

    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, home / name)
    opened = Home.open(home)
    Rehearsal.start(opened, ROOT / "orchestrator" / "rehearsal" / "demo" / "deck.md", id="one").close()
    site = Site(opened, str(opened.archives), OpenSessions(opened), recogniser=recogniser)
    server = uvicorn.Server(uvicorn.Config(application(site), port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    at_s: list[float] = []
    partials = 0
    try:
        with connect(f"ws://127.0.0.1:{port}/api/v1/sessions/one/microphone") as socket:
            begin = perf_counter()

            def send() -> None:
                size = int(FRAME_S * RATE_HZ) * SAMPLE_BYTES
                for number, at in enumerate(range(0, len(sound), size), start=1):
                    sleep(max(0.0, begin + number * FRAME_S - perf_counter()))
                    socket.send(sound[at : at + size])
                sleep(LAST_WITHIN_S)
                socket.close()

            sender = threading.Thread(target=send)
            sender.start()
            for text in socket:
                message = json.loads(text)
                partials += bool(message.get("partial"))
                if "final" in message:
                    at_s.append(perf_counter() - begin)
            sender.join()
    finally:
        server.should_exit = True
        thread.join()
    return at_s, partials


def main(arguments: Sequence[str]) -> int:
    """Print the figures; returns the exit code."""
    folder = Path(arguments[0]) if arguments else ROOT.parent / "shared" / "data" / "audio" / "librivox"
    clips = clips_of(folder) if folder.is_dir() else []
    if not clips:
        print(f"{folder}: no clips with what is said in them; name a folder", file=sys.stderr)
        return 1
    try:
        recogniser = recogniser_of(None)
    except GreenroomError as error:
        print(error, file=sys.stderr)
        return 1
    kept = bench_words(clips, recogniser)
    return 0 if bench_delay(clips, recogniser) and kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
