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
import { Suspense, useState } from "react";
import { Link, Navigate, Route, Routes, useLocation } from "react-router-dom";
import { EditingBar } from "../components/EditingBar";
import { EditingProvider } from "../components/editing";
import { EmptyNote, Loading } from "../components/states";
import { Boundary } from "./Boundary";
import { Brand } from "./Brand";
import { pages } from "./pages";
import { Shortcuts } from "./Shortcuts";
import { useSession } from "./session";
import { Tools } from "./Tools";

const narrow = "(max-width: 1199px)";

function Navigation({ onGo }: { onGo: () => void }) {
  const { may } = useSession();
  const { pathname } = useLocation();
  const offered = pages.filter((each) => !each.hidden && (!each.right || may(each.right)));
  return (
    <Nav aria-label="Pages">
      <NavList>
        {offered.map((each) => (
          <NavItem key={each.path} isActive={pathname.startsWith(`/${each.path}`)}>
            <Link
              to={`/${each.path}`}
              onClick={onGo}
              aria-current={pathname.startsWith(`/${each.path}`) ? "page" : undefined}
            >
              {each.title}
            </Link>
          </NavItem>
        ))}
      </NavList>
    </Nav>
  );
}

function NoSuchPage() {
  return (
    <EmptyNote title="There is no such page">
      <Link to="/overview">Go to the overview</Link>
    </EmptyNote>
  );
}

function Content() {
  const { may } = useSession();
  const { pathname } = useLocation();
  return (
    <Boundary key={pathname.split("/")[1] ?? ""}>
      <Suspense fallback={<Loading what="the page" />}>
        <Routes>
          <Route path="/" element={<Navigate to="/overview" replace />} />
          {pages
            .filter((each) => !each.right || may(each.right))
            .map(({ path, Component }) => (
              <Route key={path} path={`/${path}/*`} element={<Component />} />
            ))}
          <Route path="*" element={<NoSuchPage />} />
        </Routes>
      </Suspense>
    </Boundary>
  );
}

export function Shell() {
  const [open, setOpen] = useState(() => !window.matchMedia(narrow).matches);
  const toggle = () => setOpen((is) => !is);
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
          <Link to="/overview" className="brand-link" aria-label="muster, overview">
            <Brand />
          </Link>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Tools />
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
        skipToContent={<SkipToContent href="#content">Skip to the content</SkipToContent>}
      >
        <EditingBar />
        <Content />
      </Page>
      <Shortcuts />
    </EditingProvider>
  );
}
