"""The core's proof and archives, told what the board panel knows of its sessions."""

from __future__ import annotations

from functools import partial

from orchestrator.core.archive import bag, download, unpacked, upload
from orchestrator.core.verify import verification
from orchestrator.panel.application import BOARD

verify_session = partial(verification.verify_session, application=BOARD)
verify_path = partial(unpacked.verify_path, application=BOARD)
verify_unpacked = partial(unpacked.verify_unpacked, application=BOARD)
verify_archive = partial(download.verify_archive, application=BOARD)
restore = partial(download.restore, application=BOARD)
fetch = partial(download.fetch, application=BOARD)
archive_session = partial(upload.archive_session, application=BOARD)
bag_files = partial(bag.bag_files, application=BOARD)
facts_of = partial(bag.facts_of, application=BOARD)
