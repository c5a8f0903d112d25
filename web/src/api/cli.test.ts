import { expect, test } from "vitest";
import { commandLine, groupCommand } from "./cli";

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

test("a group that is changed is set, with all that it has", () => {
  const group = { name: "shop", expression: "tag:web", description: "the shop" };

  expect(groupCommand("add", { ...group, description: "" })).toBe("muster groups add shop tag:web");
  expect(groupCommand("set", group)).toBe(
    "muster groups set shop tag:web --description 'the shop'",
  );
});
