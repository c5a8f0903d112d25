import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { mayHaveMissed, refetchAll } from "./refetch";

test("all that is shown is asked again, but what never changes", async () => {
  const client = new QueryClient();
  const fetched: string[] = [];
  const show = (...queryKey: string[]) =>
    new QueryObserver(client, {
      queryKey,
      queryFn: async () => fetched.push(queryKey.join(" ")),
      staleTime: Number.POSITIVE_INFINITY,
    }).subscribe(() => undefined);
  const hide = [show("groups"), show("activity"), show("payload", "7")];
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  fetched.length = 0;

  refetchAll(client, { anew: false });

  await vi.waitFor(() => expect(fetched).toEqual(["groups", "activity"]));
  for (const unsubscribe of hide) unsubscribe();
});

test("a stream that opens with the page has missed nothing, one that opens later may have", () => {
  expect(mayHaveMissed(10_000, 10_300)).toBe(false);
  expect(mayHaveMissed(10_000, 14_000)).toBe(true);
});
