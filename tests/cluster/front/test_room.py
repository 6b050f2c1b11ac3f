"""The room behind two workers: the very tests of tests/web, with the server that this folder starts."""

from __future__ import annotations

import pytest

from tests.web.test_connection import (
    test_a_page_is_connected_once_it_has_the_room,
    test_a_room_is_opened_once_where_the_first_answer_was_lost,
    test_a_server_that_is_gone_is_said_to_be_gone,
    test_a_write_without_an_answer_is_sent_again_by_the_same_id,
    test_words_whose_answer_a_reload_cut_off_count_once,
)
from tests.web.test_pairing import (
    test_a_phone_gets_the_presenters_window_by_the_code_that_it_types,
    test_both_addresses_are_printed_this_machines_own_first,
)
from tests.web.test_rehearsal import (
    test_a_real_deck_is_dropped_and_rehearsed_to_the_end,
    test_a_reload_in_the_middle_of_a_question_loses_nothing,
    test_every_open_page_shows_the_same_moment,
)
from tests.web.test_room import (
    test_many_pages_of_a_room_share_one_stream_which_outlives_each,
    test_once_it_has_ended_nothing_is_offered_but_the_debrief,
    test_the_windows_follow_the_room_and_a_dark_screen_is_dark_everywhere,
    test_whose_turn_it_is_stands_beside_the_question,
)

__all__ = [
    "test_a_page_is_connected_once_it_has_the_room",
    "test_a_phone_gets_the_presenters_window_by_the_code_that_it_types",
    "test_a_real_deck_is_dropped_and_rehearsed_to_the_end",
    "test_a_reload_in_the_middle_of_a_question_loses_nothing",
    "test_a_room_is_opened_once_where_the_first_answer_was_lost",
    "test_a_server_that_is_gone_is_said_to_be_gone",
    "test_a_write_without_an_answer_is_sent_again_by_the_same_id",
    "test_both_addresses_are_printed_this_machines_own_first",
    "test_every_open_page_shows_the_same_moment",
    "test_many_pages_of_a_room_share_one_stream_which_outlives_each",
    "test_once_it_has_ended_nothing_is_offered_but_the_debrief",
    "test_the_windows_follow_the_room_and_a_dark_screen_is_dark_everywhere",
    "test_whose_turn_it_is_stands_beside_the_question",
    "test_words_whose_answer_a_reload_cut_off_count_once",
]

pytestmark = pytest.mark.slow
