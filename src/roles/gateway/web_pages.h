#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"

#include <span>
#include <string_view>

namespace muster::gateway {

// One file of the Cluster UI as it was built, in the forms it is sent in. The texts outlive all.
struct web_asset {
    std::string_view path;   // below /ui/: "index.html", "assets/index-1a2b3c.js"
    std::string_view media;  // its Content-Type
    std::string_view etag;   // of its content, without quotes
    bool named_by_content = false;
    std::string_view plain;
    std::string_view gzip = {};    // empty: it would not be smaller
    std::string_view brotli = {};  // likewise
};

// In the order of their paths.
using web_assets = std::span<const web_asset>;

// The Cluster UI: a single-page application under /ui/, and the API's description at /docs. It is
// the same for everybody and says nothing about the cluster; what it shows it asks the API for.
class web_pages {
public:
    explicit web_pages(web_assets all) : all_(all) {}

    // GET / leads to /ui/. Paths of the application that are no files are its own: they get its
    // one page.
    result<void> add_routes(net::http::router& to) const;

private:
    const web_asset* find(std::string_view path) const;
    net::http::response show(std::string_view path, const net::http::request& request) const;
    net::http::response below_ui(std::string_view path, const net::http::request& request) const;

    web_assets all_;
};

// What a browser lets these pages do: run and load what this server sends, nothing inline, and talk
// to nobody else.
inline constexpr auto web_pages_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

}  // namespace muster::gateway
