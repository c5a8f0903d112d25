// What stands around every page: masthead, navigation, the way to the content.
import {
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadMain,
  MastheadToggle,
  Nav,
  NavItem,
  NavList,
  Page,
  PageSidebar,
  PageSidebarBody,
  PageToggleButton,
  SkipToContent,
} from "@patternfly/react-core";
import BarsIcon from "@patternfly/react-icons/dist/esm/icons/bars-icon";
import { useState } from "react";
import { Link, Navigate, Route, Routes, useLocation } from "react-router-dom";
import { EditingBar } from "../components/EditingBar";
import { EditingProvider } from "../components/editing";
import { EmptyView } from "../components/states";
import { Brand } from "./Brand";
import { ConnectionBanner } from "./ConnectionBanner";
import { ErrorBoundary } from "./ErrorBoundary";
import { HeaderToolbar } from "./HeaderToolbar";
import { LazyPage } from "./LazyPage";
import { pages } from "./pages";
import { Shortcuts } from "./Shortcuts";
import { useSession } from "./session";
import { usePrefetch } from "./usePrefetch";

const narrow = "(max-width: 1199px)";

function Navigation({ onGo }: { onGo: () => void }) {
  const { may } = useSession();
  const { pathname } = useLocation();
  const allowedPages = pages.filter((page) => !page.hidden && (!page.right || may(page.right)));
  return (
    <Nav aria-label="Pages">
      <NavList>
        {allowedPages.map((page) => (
          <NavItem key={page.path} isActive={pathname.startsWith(`/${page.path}`)}>
            <Link
              to={`/${page.path}`}
              onClick={onGo}
              aria-current={pathname.startsWith(`/${page.path}`) ? "page" : undefined}
            >
              {page.title}
            </Link>
          </NavItem>
        ))}
      </NavList>
    </Nav>
  );
}

function NoSuchPage() {
  return (
    <EmptyView title="Page not found">
      <Link to="/overview">Go to Overview</Link>
    </EmptyView>
  );
}

function Content() {
  const { may } = useSession();
  const { pathname } = useLocation();
  return (
    <ErrorBoundary key={pathname.split("/")[1] ?? ""}>
      <Routes>
        <Route path="/" element={<Navigate to="/overview" replace />} />
        {pages
          .filter((page) => !page.right || may(page.right))
          .map(({ path, source }) => (
            <Route
              key={path}
              path={`/${path}/*`}
              element={<LazyPage key={path} source={source} />}
            />
          ))}
        <Route path="*" element={<NoSuchPage />} />
      </Routes>
    </ErrorBoundary>
  );
}

export function Shell() {
  const [open, setOpen] = useState(() => !window.matchMedia(narrow).matches);
  const toggle = () => setOpen((is) => !is);
  usePrefetch();
  // On a narrow screen the navigation lies over the page: it goes when it has led somewhere.
  const went = () => {
    if (window.matchMedia(narrow).matches) setOpen(false);
  };
  const masthead = (
    <Masthead display={{ default: "inline" }}>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton
            variant="plain"
            aria-label="Navigation"
            isSidebarOpen={open}
            onSidebarToggle={toggle}
          >
            <BarsIcon />
          </PageToggleButton>
        </MastheadToggle>
        <MastheadBrand>
          <Link to="/overview" className="brand-link" aria-label="Muster overview">
            <Brand />
          </Link>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <HeaderToolbar />
      </MastheadContent>
    </Masthead>
  );
  const sidebar = (
    <PageSidebar isSidebarOpen={open}>
      <PageSidebarBody>
        <Navigation onGo={went} />
      </PageSidebarBody>
    </PageSidebar>
  );
  return (
    <EditingProvider>
      <Page
        masthead={masthead}
        sidebar={sidebar}
        mainContainerId="content"
        isContentFilled
        skipToContent={<SkipToContent href="#content">Skip to content</SkipToContent>}
      >
        <ConnectionBanner />
        <EditingBar />
        <Content />
      </Page>
      <Shortcuts />
    </EditingProvider>
  );
}
