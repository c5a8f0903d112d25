#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"

#include <span>
#include <string_view>

namespace muster::gateway {

// One built file of the Cluster UI, with its encodings. The texts live as long as the program.
struct web_asset {
    std::string_view path;   // below /ui/: "index.html", "assets/index-1a2b3c.js"
    std::string_view media;  // Content-Type
    std::string_view etag;   // of its content, without quotes
    bool named_by_content = false;
    std::string_view plain;
    std::string_view gzip = {};    // empty: not smaller than plain
    std::string_view brotli = {};  // likewise
};

// Sorted by path.
using web_assets = std::span<const web_asset>;

// Serves the Cluster UI: a single-page application below /ui/, and the API documentation at /docs.
// The files are public and hold no cluster data; the pages read data from the API.
class web_pages {
public:
    explicit web_pages(web_assets assets) : assets_(assets) {}

    // GET / redirects to /ui/. Paths below /ui/ that are not files get index.html, because the
    // application routes them itself.
    result<void> add_routes(net::http::router& routes) const;

private:
    const web_asset* find(std::string_view path) const;
    net::http::response serve_file(std::string_view path, const net::http::request& request) const;
    net::http::response serve_ui_path(
        std::string_view path, const net::http::request& request) const;

    web_assets assets_;
};

// Content-Security-Policy of the pages: load and run only what this server sends, nothing inline,
// and connect to no other host.
inline constexpr auto web_pages_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

}  // namespace muster::gateway
