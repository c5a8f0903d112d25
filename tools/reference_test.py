#!/usr/bin/env python3
"""Tests of tools/reference.py, without programs."""
import pathlib
import tempfile
import unittest

import reference

SOURCE = '''
void f() {
    deps_.log.warning(
        "presence history write "
        "failed",
        {{"error", to_string(outcome.error(")"))}, {"pending", count}});
    log_.error("node lost", {{"node", name}});
    log.info("node joined", {{"node", name}});
}
'''


class Messages(unittest.TestCase):
    def found(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name in ("src/services/presence/a.cpp", "src/services/presence/a_test.cpp", "src/apps/agent/b.cpp"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(SOURCE if "b.cpp" not in name else 'log.warning("clock jumped");')
            return reference.log_messages(root)

    def test_warnings_and_errors_are_found_with_their_fields(self):
        found = self.found()
        self.assertEqual(set(found), {"presence history write failed", "node lost", "clock jumped"})
        self.assertEqual(found["presence history write failed"]["fields"], ["error", "pending"])
        self.assertEqual(found["node lost"]["level"], "error")
        self.assertEqual(found["clock jumped"]["programs"], {"agent"})

    def test_a_message_without_an_entry_and_an_entry_without_a_message_are_problems(self):
        entries = {"node lost": {"meaning": "m", "action": ""}, "gone": {"meaning": "m", "action": "a"}}
        problems = reference.check_messages({"node lost": {}, "clock jumped": {}}, entries)
        self.assertEqual(len(problems), 3)

    def test_an_alert_on_a_metric_that_no_server_exports_is_a_problem(self):
        alerts = {"A": {"expr": "muster_ready == 0 and muster_unknown > 1"}}
        problems = reference.check_alerts("# TYPE muster_ready gauge\n", alerts)
        self.assertEqual(len(problems), 1)
        self.assertIn("muster_unknown", problems[0])


if __name__ == "__main__":
    unittest.main()
