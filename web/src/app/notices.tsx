// Short notices in a corner: what was done, what went wrong. Errors stay until they are closed.
import { Alert, AlertActionCloseButton, AlertGroup } from "@patternfly/react-core";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { Sentence } from "../components/Sentence";

export interface Notice {
  title: string;
  body?: ReactNode;
  variant?: "success" | "info" | "warning" | "danger";
}

export interface Notices {
  tell: (notice: Notice) => void;
  // For `catch`: what went wrong, in the server's words.
  fail: (title: string, failure: unknown) => void;
}

const context = createContext<Notices | null>(null);
const shownMost = 5;
const shownFor = 8_000;

export function useNotices(): Notices {
  const notices = useContext(context);
  if (!notices) throw new Error("useNotices needs NoticesProvider");
  return notices;
}

let lastKey = 0;

export function NoticesProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Notice & { key: number })[]>([]);
  const close = useCallback(
    (key: number) => setShown((all) => all.filter((each) => each.key !== key)),
    [],
  );
  const notices = useMemo<Notices>(() => {
    const tell = (notice: Notice) => {
      lastKey += 1;
      const key = lastKey;
      setShown((all) => [{ ...notice, key }, ...all].slice(0, shownMost));
    };
    return {
      tell,
      fail: (title, failure) =>
        tell({
          title,
          variant: "danger",
          body: <Sentence text={failure instanceof Error ? failure.message : String(failure)} />,
        }),
    };
  }, []);

  return (
    <context.Provider value={notices}>
      {children}
      <AlertGroup isToast isLiveRegion hasAnimations={false} aria-label="Notices">
        {shown.map((each) => (
          <Alert
            key={each.key}
            variant={each.variant ?? "success"}
            title={each.title}
            component="h2"
            timeout={each.variant === "danger" ? false : shownFor}
            onTimeout={() => close(each.key)}
            actionClose={<AlertActionCloseButton onClose={() => close(each.key)} />}
          >
            {each.body}
          </Alert>
        ))}
      </AlertGroup>
    </context.Provider>
  );
}
