import { expect, test } from "vitest";
import { deployedText, deploymentBody, deploymentCommand, partText } from "./deployment";

test("many files are told by some of them and their number", () => {
  const paths = ["/etc/a", "/etc/b", "/etc/c", "/etc/d", "/etc/e", "/etc/f"];

  expect(partText({ targets: 1, paths: paths.slice(0, 2) })).toBe("1 system: /etc/a, /etc/b");
  expect(partText({ targets: 12, paths })).toBe(
    "12 systems: /etc/a, /etc/b, /etc/c, /etc/d and 2 more",
  );
});

test("whoever is left out is told", () => {
  const job = { id: "1", href: "", targets: 2, files: 1 };

  expect(deployedText({ job: "1", jobs: [job], targets: 2, without_files: 0 })).toBe(
    "2 systems in 1 job",
  );
  expect(deployedText({ job: "1", jobs: [job, job], targets: 4, without_files: 1 })).toBe(
    "4 systems in 2 jobs; 1 system without files skipped",
  );
});

test("the command says the same as the request", () => {
  const wish = { query: "tag:web", dryRun: true, windows: "ignore", note: " patch day " };

  expect(deploymentBody(wish)).toEqual({
    query: "tag:web",
    dry_run: true,
    windows: "ignore",
    note: "patch day",
  });
  expect(deploymentCommand(wish)).toBe(
    "muster apply tag:web --dry-run --window ignore --note 'patch day'",
  );
});

test("what is usual is left out of both", () => {
  const wish = { query: "*", dryRun: false, windows: "respect", note: "" };

  expect(deploymentBody(wish)).toEqual({ query: "*", dry_run: false });
  expect(deploymentCommand(wish)).toBe("muster apply '*'");
});
