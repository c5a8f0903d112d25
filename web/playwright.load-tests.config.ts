import { defineConfig } from "@playwright/test";
import usual from "./playwright.config";

// The Cluster UI with a million systems: `make web-million`. Minutes, and times that depend on the
// machine, so no part of `make test`. SYSTEMS says how many; `make web-million` sets STRICT=1, which
// fails when a goal is missed.
export default defineConfig({ ...usual, testDir: "load-tests", timeout: 900_000 });
