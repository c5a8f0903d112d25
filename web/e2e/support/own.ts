// Surroundings with a cluster that no other file of tests shares.
import { Server } from "./server";
import { test as base } from "./test";

export function withOwn<S extends Server>(
  make: () => S,
  open: (server: S) => Promise<void>,
  timeout = 120_000,
) {
  return base.extend<object, { server: S }>({
    server: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
      async ({}, use) => {
        const server = make();
        try {
          await open(server);
          await use(server);
        } finally {
          await server.close();
        }
      },
      { scope: "worker", timeout },
    ],
  });
}

export function withOwnServer() {
  return withOwn(
    () => new Server(),
    (server) => server.open(),
  );
}
