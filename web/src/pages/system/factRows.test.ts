import { expect, test } from "vitest";
import { factRows } from "./factRows";

test("lists and objects become a row a value", () => {
  const rows = factRows({ "os.name": "Debian", addresses: ["10.0.0.1", "::1"], cpu: { cores: 2 } });

  expect(rows.map((row) => [row.path, row.value])).toEqual([
    ["addresses", "10.0.0.1"],
    ["addresses", "::1"],
    ["cpu.cores", "2"],
    ["os.name", "Debian"],
  ]);
});

test("a value leads to everybody alike, if it can stand in an expression", () => {
  const [plain, blanks, wild] = factRows({ a: "Debian", b: "Debian GNU/Linux", c: "x*y" });

  expect(plain?.query).toBe("fact.a:Debian");
  expect(blanks?.query).toBe('fact.b:"Debian GNU/Linux"');
  expect(wild?.query).toBeUndefined();
});
