// The head of a page, and its title for the browser.
import { Flex, FlexItem, PageSection, Title } from "@patternfly/react-core";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router-dom";
import { isPageChange, shouldMoveFocus } from "./pageFocus";

interface Props {
  title: string;
  subtitle?: ReactNode;
  above?: ReactNode; // such as breadcrumbs
  actions?: ReactNode;
  children: ReactNode;
  fill?: boolean; // the body takes the height that is left
}

// Whoever listens hears the page's title, and goes on from there.
function usePageFocus() {
  const { pathname } = useLocation();
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isPageChange(pathname) && shouldMoveFocus(document.activeElement))
      head.current?.querySelector("h1")?.focus();
  }, [pathname]);
  return head;
}

export function PageFrame({ title, subtitle, above, actions, children, fill }: Props) {
  const head = usePageFocus();
  useEffect(() => {
    document.title = `${title} · muster`;
  }, [title]);
  return (
    <>
      <PageSection className="page-head">
        {above}
        <Flex
          justifyContent={{ default: "justifyContentSpaceBetween" }}
          alignItems={{ default: "alignItemsFlexStart" }}
        >
          <FlexItem>
            <div ref={head}>
              <Title headingLevel="h1" size="2xl" tabIndex={-1} className="page-title">
                {title}
              </Title>
            </div>
            {subtitle && <div className="page-subtitle">{subtitle}</div>}
          </FlexItem>
          {actions && <FlexItem className="page-actions">{actions}</FlexItem>}
        </Flex>
      </PageSection>
      <PageSection isFilled={fill} className={fill ? "page-body page-fill" : "page-body"}>
        {children}
      </PageSection>
    </>
  );
}
