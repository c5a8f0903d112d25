import { expect, test } from "vitest";
import { deployedWords, partWords } from "./deployment";

test("many files are told by some of them and their number", () => {
  const paths = ["/etc/a", "/etc/b", "/etc/c", "/etc/d", "/etc/e", "/etc/f"];

  expect(partWords({ targets: 1, paths: paths.slice(0, 2) })).toBe("1 system: /etc/a, /etc/b");
  expect(partWords({ targets: 12, paths })).toBe(
    "12 systems: /etc/a, /etc/b, /etc/c, /etc/d and 2 more",
  );
});

test("whoever is left out is told", () => {
  const job = { id: "1", href: "", targets: 2, files: 1 };

  expect(deployedWords({ job: "1", jobs: [job], targets: 2, without_files: 0 })).toBe(
    "2 systems in 1 job",
  );
  expect(deployedWords({ job: "1", jobs: [job, job], targets: 4, without_files: 1 })).toBe(
    "4 systems in 2 jobs; 1 system without files left out",
  );
});
