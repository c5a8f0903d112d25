#include "roles/gateway/web_pages.h"

#include "adapters/net/http/accept_header.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;

struct encoded_content {
    std::string_view content;
    std::string_view encoding;  // empty: identity
};

encoded_content choose_encoding(const web_asset& file, std::string_view accepted) {
    if (!file.brotli.empty() && http::accepts(accepted, "br")) return {file.brotli, "br"};
    if (!file.gzip.empty() && http::accepts(accepted, "gzip")) return {file.gzip, "gzip"};
    return {file.plain, {}};
}

http::response file_response(const web_asset& file, const http::request& request) {
    const auto encoded = choose_encoding(file, request.field("Accept-Encoding").value_or(""));
    std::string etag = "\"" + std::string(file.etag);
    if (!encoded.encoding.empty()) etag += "-" + std::string(encoded.encoding);
    etag += "\"";
    const bool not_modified =
        request.field("If-None-Match").value_or("").find(etag) != std::string::npos;
    http::response response{.status = not_modified ? 304U : 200U};
    if (!not_modified) {
        response.body = encoded.content;
        response.fields.emplace_back("Content-Type", file.media);
        if (!encoded.encoding.empty())
            response.fields.emplace_back("Content-Encoding", encoded.encoding);
    }
    response.fields.emplace_back("ETag", std::move(etag));
    response.fields.emplace_back("Vary", "Accept-Encoding");
    response.fields.emplace_back(
        "Cache-Control",
        file.named_by_content ? "public, max-age=31536000, immutable" : "no-cache");
    return response;
}

http::response with_security_fields(http::response response) {
    response.fields.emplace_back("Content-Security-Policy", web_pages_policy);
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    response.fields.emplace_back("Referrer-Policy", "no-referrer");
    response.fields.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
    response.fields.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
    return response;
}

http::response redirect_to_ui() {
    http::response response{.status = 302};
    response.fields.emplace_back("Location", "/ui/");
    response.fields.emplace_back("Cache-Control", "no-cache");
    return response;
}

async<http::response> respond(http::response response) {
    co_return response;
}

}  // namespace

const web_asset* web_pages::find(std::string_view path) const {
    const auto it = std::ranges::lower_bound(assets_, path, {}, &web_asset::path);
    return it != assets_.end() && it->path == path ? &*it : nullptr;
}

http::response web_pages::serve_file(std::string_view path, const http::request& request) const {
    if (const auto* const file = find(path))
        return with_security_fields(file_response(*file, request));
    return with_security_fields(http::problem(404, "page not found; the Cluster UI is at /ui/"));
}

http::response web_pages::serve_ui_path(std::string_view path, const http::request& request) const {
    const bool is_file = path.starts_with("assets/") || find(path) != nullptr;
    return serve_file(is_file ? path : "index.html", request);
}

result<void> web_pages::add_routes(http::router& routes) const {
    CHECK_OK(routes.add("GET", "/", {[](const http::request&) {
                            return respond(with_security_fields(redirect_to_ui()));
                        }}));
    CHECK_OK(routes.add("GET", "/docs", {[pages = *this](const http::request& request) {
                            return respond(pages.serve_file("docs.html", request));
                        }}));
    CHECK_OK(routes.add("GET", "/ui", {[pages = *this](const http::request& request) {
                            return respond(pages.serve_file("index.html", request));
                        }}));
    return routes.add("GET", "/ui/{path...}", {[pages = *this](const http::request& request) {
                          return respond(pages.serve_ui_path(request.capture("path"), request));
                      }});
}

}  // namespace muster::gateway
