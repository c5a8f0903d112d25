import { expect, test } from "vitest";
import {
  commandOf,
  emptyJobForm,
  isBehind,
  type JobForm,
  jobFormFromJob,
  jobFormFromSearch,
  mustAsk,
  problemsOf,
  requestOf,
} from "./jobForm";
import type { FullJob } from "./types";

const uptime: JobForm = { ...emptyJobForm, query: "tag:db", command: "uptime -p" };

test("only what was said is in the request", () => {
  expect(requestOf(uptime)).toEqual({
    query: "tag:db",
    function: "cmd.run",
    arguments: { cmd: "uptime -p" },
  });
});

test("options become members of the request", () => {
  const wish: JobForm = {
    ...uptime,
    batch: "25 %",
    rate: "5",
    canary: "2",
    canaryWait: "10m",
    maxFailures: "1%",
    retries: "3",
    windows: "respect",
    onReturn: false,
    mayRunAgain: true,
  };
  expect(requestOf(wish)).toMatchObject({
    batch: "25%",
    rate: 5,
    canary: "2",
    canary_wait: "10m",
    max_failures: "1%",
    retries: 3,
    windows: "respect",
    on_return: false,
    may_run_again: true,
  });
});

test("a start is told in UTC", () => {
  const at = requestOf({ ...uptime, at: "2026-11-16T22:00" }).at as string;
  expect(at).toMatch(/^2026-11-1\dT\d\d:00:00Z$/);
  expect(Date.parse(at)).toBe(new Date(2026, 10, 16, 22, 0).getTime());
});

test("the same on the command line is quoted for a shell", () => {
  expect(commandOf({ ...uptime, query: "web* and tag:db", batch: "10" })).toBe(
    "muster run 'web* and tag:db' --batch 10 -- 'uptime -p'",
  );
  expect(
    commandOf({
      ...uptime,
      work: "other",
      functionName: "pkg.list",
      argumentsText: '{"name": "vim", "deep": true}',
    }),
  ).toBe("muster run tag:db --function pkg.list --arg name=vim --arg deep:=true");
});

test("what is missing or not readable is named by its field", () => {
  expect(problemsOf(uptime)).toEqual({});
  expect(Object.keys(problemsOf(emptyJobForm))).toEqual(["query", "command"]);
  expect(
    Object.keys(
      problemsOf({ ...uptime, batch: "many", timeout: "an hour", rate: "-1", retries: "x" }),
    ).sort(),
  ).toEqual(["batch", "rate", "retries", "timeout"]);
  expect(
    problemsOf({ ...uptime, work: "other", functionName: "x", argumentsText: "[1]" }).argumentsText,
  ).toBeDefined();
});

test("a link says whom and what", () => {
  const wish = jobFormFromSearch(new URLSearchParams("q=tag%3Adb&cmd=uptime"));
  expect([wish.query, wish.work, wish.command]).toEqual(["tag:db", "cmd.run", "uptime"]);
  const otherForm = jobFormFromSearch(new URLSearchParams("q=*&function=state.apply"));
  expect([otherForm.work, otherForm.functionName]).toEqual(["other", "state.apply"]);
});

test("a job made again asks for the same", () => {
  const job = {
    query: "tag:db",
    function: "cmd.run",
    arguments: { cmd: "uptime -p" },
    note: "",
    options: {
      windows: "respect",
      batch: "10",
      rate: null,
      canary: null,
      max_failures: "5%",
      retries: 0,
      on_return: true,
      may_run_again: false,
    },
  } as unknown as FullJob;
  expect(requestOf(jobFormFromJob(job))).toEqual({
    query: "tag:db",
    function: "cmd.run",
    arguments: { cmd: "uptime -p" },
    windows: "respect",
    batch: "10",
    max_failures: "5%",
  });
  const list = { ...job, arguments: { cmd: ["ls", "-l"] } } as FullJob;
  expect(requestOf(jobFormFromJob(list)).arguments).toEqual({ cmd: ["ls", "-l"] });
});

test("one is asked before a run on many, on all, and on nobody knows how many", () => {
  expect(mustAsk(uptime, 3)).toBe(false);
  expect(mustAsk(uptime, 1_001)).toBe(true);
  expect(mustAsk({ ...uptime, query: " * " }, 3)).toBe(true);
  expect(mustAsk(uptime, undefined)).toBe(true);
});

test("a preview is behind until what is written was asked and answered", () => {
  expect(isBehind("new", "old", false)).toBe(true);
  expect(isBehind("new", "new", true)).toBe(true);
  expect(isBehind("new", "new", false)).toBe(false);
  expect(isBehind("null", "null", true)).toBe(false);
});

test("a chain is sent as steps, and comes back as a chain", () => {
  const steps = [
    { text: "apt-get -y upgrade", timeout: "30m" },
    { text: "system.reboot", timeout: "" },
  ];
  const sent = requestOf({ ...uptime, work: "chain", steps });

  expect(sent).toEqual({
    query: "tag:db",
    steps: [
      { function: "cmd.run", arguments: { cmd: "apt-get -y upgrade" }, timeout: "30m" },
      { function: "system.reboot" },
    ],
  });
  const options = { windows: "ignore", batch: null, rate: null, retries: 0, on_return: true };
  const job = {
    function: "chain.run",
    arguments: { steps: sent.steps },
    query: "tag:db",
    note: "",
    options: { ...options, canary: null, max_failures: null, may_run_again: false },
  } as unknown as FullJob;
  expect(requestOf(jobFormFromJob(job))).toEqual(sent);
  expect(problemsOf({ ...uptime, work: "chain" }).steps).toContain("Step 1");
});

test("jobs that must be done before are named by their ids", () => {
  const wish = { ...uptime, parents: "20261116220000123456, 20261116220000123457" };

  expect(requestOf(wish).parents).toEqual(["20261116220000123456", "20261116220000123457"]);
  expect(commandOf(wish)).toContain("--after 20261116220000123456 --after 20261116220000123457");
  expect(problemsOf({ ...uptime, parents: "4711" }).parents).toContain("20 digits");
});
