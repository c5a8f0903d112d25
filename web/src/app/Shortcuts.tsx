// The keyboard: / to the search, g and a letter to a page, ? for this list.
import { Modal, ModalBody, ModalHeader } from "@patternfly/react-core";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router-dom";
import { pages } from "./pages";
import { useSession } from "./session";
import { isShortcut, shortcutsEnabled } from "./shortcutSettings";
import { whenShortcutsAsked } from "./shortcutsDialog";

const patience = 1_200;

export function writesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export function Shortcuts() {
  const go = useNavigate();
  const { may } = useSession();
  const [open, setOpen] = useState(false);
  const afterG = useRef(0);

  useEffect(() => whenShortcutsAsked(() => setOpen(true)), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const dialog = document.querySelector("[aria-modal='true']") !== null;
      const writing = writesText(event.target);
      if (!isShortcut(event, { on: shortcutsEnabled(), writing, dialog })) return;
      const now = Date.now();
      const pending = now - afterG.current < patience;
      afterG.current = 0;
      if (pending) {
        const page = pages.find((page) => page.key === event.key);
        if (page) go(`/${page.path}`);
      } else if (event.key === "g") {
        afterG.current = now;
      } else if (event.key === "/") {
        event.preventDefault();
        const box = document.getElementById("query");
        if (box) box.focus();
        else go("/search");
      } else if (event.key === "?") {
        setOpen(true);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [go]);

  const allowedPages = pages.filter((page) => page.key && (!page.right || may(page.right)));
  return (
    <Modal
      isOpen={open}
      onClose={() => setOpen(false)}
      variant="small"
      aria-label="Keyboard shortcuts"
    >
      <ModalHeader title="Keyboard shortcuts" />
      <ModalBody>
        {!shortcutsEnabled() && <p>Single-key shortcuts are off. Turn them on in the user menu.</p>}
        <dl className="keys">
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search</dd>
          {allowedPages.map((page) => (
            <div key={page.path} className="keys-row">
              <dt>
                <kbd>g</kbd> <kbd>{page.key}</kbd>
              </dt>
              <dd>{page.title}</dd>
            </div>
          ))}
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>Show keyboard shortcuts</dd>
        </dl>
      </ModalBody>
    </Modal>
  );
}
