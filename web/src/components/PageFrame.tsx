// The head of a page, and its title for the browser.
import { Flex, FlexItem, PageSection, Title } from "@patternfly/react-core";
import { type ReactNode, useEffect } from "react";

interface Props {
  title: string;
  subtitle?: ReactNode;
  above?: ReactNode; // such as breadcrumbs
  actions?: ReactNode;
  children: ReactNode;
  fill?: boolean; // the body takes the height that is left
}

export function PageFrame({ title, subtitle, above, actions, children, fill }: Props) {
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
            <Title headingLevel="h1" size="2xl">
              {title}
            </Title>
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
