import { expect, test } from "vitest";
import { chainWords, stepOf, stepProblem, writtenAs } from "./chain";

const step = (text: string, timeout = "") => ({ text, timeout });

test("a step is a line for the shell, a function, or an object", () => {
  expect(stepOf(step(" apt-get -y upgrade ", "30m"))).toEqual({
    function: "cmd.run",
    arguments: { cmd: "apt-get -y upgrade" },
    timeout: "30m",
  });
  expect(stepOf(step("system.reboot"))).toEqual({ function: "system.reboot" });
  expect(stepOf(step('{"function": "cmd.run", "arguments": {"cmd": "id", "user": "db"}}'))).toEqual(
    {
      function: "cmd.run",
      arguments: { cmd: "id", user: "db" },
    },
  );
});

test("every step comes back as it was", () => {
  const steps = [
    { function: "cmd.run", arguments: { cmd: "true" }, timeout: "5m" },
    { function: "cmd.run", arguments: { cmd: ["ls", "-l"] } },
    { function: "system.reboot" },
    { function: "files.deploy", arguments: { test: true } },
  ];

  expect(steps.map((step) => stepOf(writtenAs(step)))).toEqual(steps);
});

test("what is no step is named by its number", () => {
  expect(stepProblem(step(""), 2)).toContain("Step 2");
  expect(stepProblem(step('{"cmd": '), 3)).toContain("Step 3");
  expect(stepProblem(step("uptime"), 1)).toBeUndefined();
});

test("on the command line steps are flags, and a file where flags cannot say it", () => {
  expect(chainWords([step("uptime"), step("system.reboot")])).toEqual([
    "--step",
    "uptime",
    "--step",
    "system.reboot",
  ]);
  expect(chainWords([step("uptime", "5m")])).toEqual(["--chain", "FILE.yaml"]);
});
