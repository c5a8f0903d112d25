import { defineConfig } from "@playwright/test";
import usual from "./playwright.config";

// Writes the pictures of docs/images: `make screenshots`. Pictures differ from run to run in their
// times, so they are no part of `make test`.
export default defineConfig({ ...usual, testDir: "screenshots" });
