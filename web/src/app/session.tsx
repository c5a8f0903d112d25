// Who is logged in. Pages are shown to nobody else; when a session ends, the login takes their place
// and the address stays, so that one goes on where one was.
import { Bullseye, Spinner } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { ApiError, api, setCsrf, whenSessionEnds } from "../api/client";
import type { Me } from "../api/types";
import { ErrorView } from "../components/states";
import { ChangePassword } from "./ChangePassword";
import { Login } from "./Login";

export interface Session {
  me: Me;
  // Whether a right is held, in this zone if one is given, else anywhere.
  may: (right: string, zone?: string) => boolean;
  logOut: () => Promise<void>;
}

const context = createContext<Session | null>(null);

// The cookie is hidden from us. That there should be one is remembered, so that a browser which has
// never logged in is not refused before it could.
const place = "muster.entered";

export function useSession(): Session {
  const session = useContext(context);
  if (!session) throw new Error("useSession is for pages behind the login");
  return session;
}

export function useMay(right: string, zone?: string): boolean {
  return useSession().may(right, zone);
}

export function holds(me: Me, right: string, zone?: string): boolean {
  const zones = me.rights[right];
  if (zones === undefined) return false;
  return zones === null || zone === undefined || zones.includes(zone);
}

export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [ended, setEnded] = useState(false);
  const [expected, setExpected] = useState(() => localStorage.getItem(place) !== null);
  const identity = useQuery({
    queryKey: ["me"],
    queryFn: async ({ signal }) => {
      const me = await api.get<Me>("/api/v1/me", { signal });
      setCsrf(me.csrf);
      return me;
    },
    staleTime: 60_000,
    refetchOnWindowFocus: true,
    enabled: expected,
  });
  useEffect(() => whenSessionEnds(() => setEnded(true)), []);

  const session = useMemo<Session | null>(() => {
    if (!identity.data) return null;
    const me = identity.data;
    return {
      me,
      may: (right, zone) => holds(me, right, zone),
      logOut: async () => {
        await api.post("/api/v1/logout");
        localStorage.removeItem(place);
        setExpected(false);
        client.clear();
      },
    };
  }, [identity.data, client]);

  const entered = async () => {
    localStorage.setItem(place, "yes");
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "me" });
    const me = await api.get<Me>("/api/v1/me");
    setCsrf(me.csrf);
    client.setQueryData(["me"], me);
    setExpected(true);
    setEnded(false);
  };
  const isLoggedOut = identity.error instanceof ApiError && identity.error.status === 401;
  if (!expected || ended || isLoggedOut)
    return <Login onEntered={entered} ended={ended && session !== null} />;
  if (session?.me.must_change) return <ChangePassword user={session.me.user} onChanged={entered} />;
  if (session) return <context.Provider value={session}>{children}</context.Provider>;
  if (identity.error)
    return <ErrorView error={identity.error} retry={() => void identity.refetch()} />;
  return (
    <Bullseye>
      <Spinner aria-label="Checking the session" />
    </Bullseye>
  );
}
