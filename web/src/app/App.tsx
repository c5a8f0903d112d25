import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter } from "react-router-dom";
import { ApiError } from "../api/client";
import { EventStreamProvider } from "./eventStream";
import { NotificationsProvider } from "./notifications";
import { Shell } from "./Shell";
import { SessionGate } from "./session";
import { ZoneProvider } from "./zone";

const triesMost = 3;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays one; a server that is away comes back.
      retry: (tries, failure) =>
        tries < triesMost && failure instanceof ApiError && failure.passing,
      retryDelay: (tries, failure) =>
        failure instanceof ApiError && failure.retryAfter
          ? failure.retryAfter * 1000
          : 1000 * 2 ** tries,
    },
    mutations: { retry: false },
  },
});

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <BrowserRouter basename="/ui">
        <NotificationsProvider>
          <SessionGate>
            <EventStreamProvider>
              <ZoneProvider>
                <Shell />
              </ZoneProvider>
            </EventStreamProvider>
          </SessionGate>
        </NotificationsProvider>
      </BrowserRouter>
    </QueryClientProvider>
  );
}
