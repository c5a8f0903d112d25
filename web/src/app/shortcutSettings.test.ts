import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isShortcut, setShortcutsEnabled, shortcutsEnabled } from "./shortcutSettings";

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const context = { on: true, writing: false, dialog: false };

beforeEach(() => {
  const entries = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a key alone is a shortcut", () => {
  expect(isShortcut(plain, context)).toBe(true);
  expect(isShortcut({ ...plain, ctrlKey: true }, context)).toBe(false);
});

test("keys mean nothing in fields, behind a dialog, and when they are turned off", () => {
  expect(isShortcut(plain, { ...context, writing: true })).toBe(false);
  expect(isShortcut(plain, { ...context, dialog: true })).toBe(false);
  expect(isShortcut(plain, { ...context, on: false })).toBe(false);
});

test("keys are on until somebody turns them off, and may be turned on again", () => {
  expect(shortcutsEnabled()).toBe(true);
  setShortcutsEnabled(false);
  expect(shortcutsEnabled()).toBe(false);
  setShortcutsEnabled(true);
  expect(shortcutsEnabled()).toBe(true);
});
