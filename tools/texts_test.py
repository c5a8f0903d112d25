#!/usr/bin/env python3
"""Tests of tools/texts.py."""
import pathlib
import tempfile
import unittest

import texts


def problems(code):
    return [why for _, why in texts.source_findings(code)]


class Strings(unittest.TestCase):
    def test_a_text_without_a_noun_is_found(self):
        self.assertIn("name the user", problems('fail("nobody edits now");')[0])
        self.assertIn("not found", problems('fail("there is no job 7");')[0])
        self.assertEqual(problems('fail("job \\"7\\" not found");'), [])

    def test_stored_words_and_sql_are_left_alone(self):
        self.assertEqual(problems('return "nobody";'), [])
        self.assertEqual(problems('run("SELECT a FROM b WHERE who is 1");'), [])

    def test_a_log_message_is_lower_case_without_a_full_stop(self):
        self.assertEqual(len(problems('log.warning("Node lost");')), 1)
        self.assertEqual(len(problems('deps_.log.error(\n    "node lost.");')), 1)
        self.assertEqual(problems('log.warning("HTTP request failed");'), [])

    def test_texts_of_the_ui_are_found_in_elements_and_strings(self):
        self.assertEqual(len(list(texts.web_findings("// nobody reads this\n<p>Online</p>"))), 0)
        self.assertEqual(len(list(texts.web_findings("<p>Nobody is here</p>"))), 1)
        self.assertEqual(len(list(texts.web_findings('title("How often it runs")'))), 1)


class Links(unittest.TestCase):
    def test_a_link_to_a_missing_page_or_heading_is_found(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory) / "a.md"
            text = "# One `two`\n[x](a.md#one-two) [y](b.md) [z](#three) [w](https://example.org/b.md)\n"
            page.write_text(text)
            found = [why for _, why in texts.link_findings(page, text)]
            self.assertEqual(found, ["link to b.md: no such file", "link to #three: no such heading"])


if __name__ == "__main__":
    unittest.main()
