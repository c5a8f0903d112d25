import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// PatternFly brings fonts of half a megabyte; the system's own are there already.
function withoutFonts(): Plugin {
  return {
    name: "muster-without-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("base.css")) return null;
      return { code: code.replace(/@font-face\s*{[^}]*}/g, ""), map: null };
    },
  };
}

// `npm run dev` serves the pages with what changes at once, and asks a real server for the rest:
// MUSTER_SERVER=https://127.0.0.1:8443 npm run dev
const server = process.env.MUSTER_SERVER ?? "https://127.0.0.1:8443";
// The server refuses changes that a browser sends for another site's page; here we are that page.
const forwarded = {
  target: server,
  secure: false,
  changeOrigin: true,
  headers: { origin: new URL(server).origin },
};
const proxy = {
  "/api": forwarded,
  "/events": forwarded,
  "/openapi.json": forwarded,
};

export default defineConfig({
  base: "/ui/",
  plugins: [withoutFonts(), react()],
  build: {
    outDir: process.env.MUSTER_WEB_OUT ?? "dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1600,
    rollupOptions: {
      input: {
        index: resolve(__dirname, "index.html"),
        docs: resolve(__dirname, "docs.html"),
      },
      output: {
        manualChunks(id) {
          if (
            /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|@remix-run)\//.test(
              id,
            )
          )
            return "react";
          if (id.includes("node_modules/@tanstack/react-query") || id.includes("query-core"))
            return "query";
          return undefined;
        },
      },
    },
  },
  server: { port: 5173, proxy },
  preview: { port: 4173, proxy },
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx"],
    environment: "node",
    env: { TZ: "Europe/Berlin" }, // clocks that change, wherever the tests run
  },
});
