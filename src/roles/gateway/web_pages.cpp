#include "roles/gateway/web_pages.h"

#include "adapters/net/http/accepted.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;

struct form {
    std::string_view content;
    std::string_view encoding;  // empty: as it is
};

form form_for(const web_asset& file, std::string_view accepted) {
    if (!file.brotli.empty() && http::accepts(accepted, "br")) return {file.brotli, "br"};
    if (!file.gzip.empty() && http::accepts(accepted, "gzip")) return {file.gzip, "gzip"};
    return {file.plain, {}};
}

http::response sent(const web_asset& file, const http::request& request) {
    const auto chosen = form_for(file, request.field("Accept-Encoding").value_or(""));
    std::string etag = "\"" + std::string(file.etag);
    if (!chosen.encoding.empty()) etag += "-" + std::string(chosen.encoding);
    etag += "\"";
    const bool existing =
        request.field("If-None-Match").value_or("").find(etag) != std::string::npos;
    http::response response{.status = existing ? 304U : 200U};
    if (!existing) {
        response.body = chosen.content;
        response.fields.emplace_back("Content-Type", file.media);
        if (!chosen.encoding.empty())
            response.fields.emplace_back("Content-Encoding", chosen.encoding);
    }
    response.fields.emplace_back("ETag", std::move(etag));
    response.fields.emplace_back("Vary", "Accept-Encoding");
    response.fields.emplace_back(
        "Cache-Control",
        file.named_by_content ? "public, max-age=31536000, immutable" : "no-cache");
    return response;
}

http::response guarded(http::response response) {
    response.fields.emplace_back("Content-Security-Policy", web_pages_policy);
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    response.fields.emplace_back("Referrer-Policy", "no-referrer");
    response.fields.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
    response.fields.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
    return response;
}

http::response led_to_the_application() {
    http::response response{.status = 302};
    response.fields.emplace_back("Location", "/ui/");
    response.fields.emplace_back("Cache-Control", "no-cache");
    return response;
}

async<http::response> at_once(http::response response) {
    co_return response;
}

}  // namespace

const web_asset* web_pages::find(std::string_view path) const {
    const auto it = std::ranges::lower_bound(all_, path, {}, &web_asset::path);
    return it != all_.end() && it->path == path ? &*it : nullptr;
}

http::response web_pages::show(std::string_view path, const http::request& request) const {
    if (const auto* const found = find(path)) return guarded(sent(*found, request));
    return guarded(http::problem(404, "there is no such page; the Cluster UI is at /ui/"));
}

http::response web_pages::below_ui(std::string_view path, const http::request& request) const {
    const bool own = path.starts_with("assets/") || find(path) != nullptr;
    return show(own ? path : "index.html", request);
}

result<void> web_pages::add_routes(http::router& to) const {
    CHECK_OK(to.add("GET", "/", {[](const http::request&) {
                        return at_once(guarded(led_to_the_application()));
                    }}));
    CHECK_OK(to.add("GET", "/docs", {[pages = *this](const http::request& request) {
                        return at_once(pages.show("docs.html", request));
                    }}));
    CHECK_OK(to.add("GET", "/ui", {[pages = *this](const http::request& request) {
                        return at_once(pages.show("index.html", request));
                    }}));
    return to.add("GET", "/ui/{path...}", {[pages = *this](const http::request& request) {
                      return at_once(pages.below_ui(request.captured("path"), request));
                  }});
}

}  // namespace muster::gateway
