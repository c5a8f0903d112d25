import { expect, test } from "vitest";
import { commandLine } from "./cli";

test("what a shell would take apart or fill in is quoted", () => {
  expect(commandLine("muster", "search", "tag:db and not web*")).toBe(
    "muster search 'tag:db and not web*'",
  );
  expect(commandLine("muster", "search", "name:it's")).toBe("muster search 'name:it'\\''s'");
  expect(commandLine("echo", "$(reboot)", "")).toBe("echo '$(reboot)' ''");
});

test("what is harmless stays readable", () => {
  expect(commandLine("muster", "job", "20261116220000123456")).toBe(
    "muster job 20261116220000123456",
  );
});
