// Short notices in a corner: what was done, what went wrong. Errors stay until they are closed.
import { Alert, AlertActionCloseButton, AlertGroup } from "@patternfly/react-core";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { TextWithTimes } from "../components/TextWithTimes";

export interface Notification {
  title: string;
  body?: ReactNode;
  variant?: "success" | "info" | "warning" | "danger";
}

export interface Notifications {
  tell: (notification: Notification) => void;
  // For `catch`: what went wrong, in the server's words.
  fail: (title: string, failure: unknown) => void;
}

const context = createContext<Notifications | null>(null);
const shownMost = 5;
const shownFor = 8_000;

export function useNotifications(): Notifications {
  const notifications = useContext(context);
  if (!notifications) throw new Error("useNotifications needs NotificationsProvider");
  return notifications;
}

let lastKey = 0;

export function NotificationsProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Notification & { key: number })[]>([]);
  const close = useCallback(
    (key: number) => setToasts((all) => all.filter((notification) => notification.key !== key)),
    [],
  );
  const notifications = useMemo<Notifications>(() => {
    const tell = (notification: Notification) => {
      lastKey += 1;
      const key = lastKey;
      setToasts((all) => [{ ...notification, key }, ...all].slice(0, shownMost));
    };
    return {
      tell,
      fail: (title, failure) =>
        tell({
          title,
          variant: "danger",
          body: (
            <TextWithTimes text={failure instanceof Error ? failure.message : String(failure)} />
          ),
        }),
    };
  }, []);

  return (
    <context.Provider value={notifications}>
      {children}
      <AlertGroup isToast isLiveRegion hasAnimations={false} aria-label="Notifications">
        {toasts.map((notification) => (
          <Alert
            key={notification.key}
            variant={notification.variant ?? "success"}
            title={notification.title}
            component="h2"
            timeout={notification.variant === "danger" ? false : shownFor}
            onTimeout={() => close(notification.key)}
            actionClose={<AlertActionCloseButton onClose={() => close(notification.key)} />}
          >
            {notification.body}
          </Alert>
        ))}
      </AlertGroup>
    </context.Provider>
  );
}
