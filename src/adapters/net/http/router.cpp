#include "adapters/net/http/router.h"

#include "adapters/net/http/head.h"
#include "adapters/net/http/uri.h"
#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::net::http {

struct router::node {
    std::map<std::string, std::unique_ptr<node>, std::less<>> literals;
    std::unique_ptr<node> any_segment;
    std::unique_ptr<node> any_rest;
    struct method_route {
        http::route route;
        std::vector<std::string> names;  // of the captures, in the order of the path
    };
    std::map<std::string, method_route, std::less<>> methods;
};

struct router::segment {
    enum class segment_kind { literal, one, rest } kind;
    std::string_view text;  // the literal, or the capture's name
};

namespace {

constexpr std::size_t segments_max = 32;

// Removes the first segment from "/a/b": returns "a" and leaves "/b".
std::string_view pop_segment(std::string_view& path) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    return segment;
}

}  // namespace

std::optional<router::segment> router::parse_segment(std::string_view text) {
    const bool is_capture = text.starts_with('{') && text.ends_with('}');
    if (!is_capture) {
        if (text.find_first_of("{}%?#") != std::string_view::npos) return std::nullopt;
        return segment{segment::segment_kind::literal, text};
    }
    std::string_view name = text.substr(1, text.size() - 2);
    const bool is_rest = name.ends_with("...");
    if (is_rest) name.remove_suffix(3);
    if (!is_token(name)) return std::nullopt;
    return segment{is_rest ? segment::segment_kind::rest : segment::segment_kind::one, name};
}

router::router() : root_(std::make_unique<node>()) {}
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;
router::~router() = default;

std::unique_ptr<router::node>& router::child_for(node& parent, const segment& segment) {
    switch (segment.kind) {
        case segment::segment_kind::literal:
            return parent.literals[std::string(segment.text)];
        case segment::segment_kind::one:
            return parent.any_segment;
        case segment::segment_kind::rest:
            return parent.any_rest;
    }
    MUSTER_ASSERT(false);
}

result<void> router::add(std::string_view method, std::string_view pattern, route route) {
    const auto invalid = [&](std::string_view problem) {
        return fail(errc::invalid, "route " + std::string(pattern) + ": " + std::string(problem));
    };
    if (!is_token(method)) return invalid("invalid method");
    if (!pattern.starts_with('/')) return invalid("pattern must start with a slash");
    node* current = root_.get();
    std::vector<std::string> names;
    for (std::string_view rest = pattern; !rest.empty();) {
        const auto segment = parse_segment(pop_segment(rest));
        if (!segment) return invalid("segment must be a literal, {name} or {name...}");
        if (segment->kind == segment::segment_kind::rest && !rest.empty())
            return invalid("{name...} must come last");
        if (segment->kind != segment::segment_kind::literal) names.emplace_back(segment->text);
        auto& child = child_for(*current, *segment);
        if (!child) child = std::make_unique<node>();
        current = child.get();
    }
    auto [slot, added] = current->methods.try_emplace(
        std::string(method),
        node::method_route{.route = std::move(route), .names = std::move(names)});
    if (!added) return invalid("handler for this method already exists");
    return {};
}

std::string router::allowed_methods(const node& leaf) {
    std::string allowed;
    for (const auto& [name, unused] : leaf.methods) {
        allowed += (allowed.empty() ? "" : ", ") + name;
        if (name == "GET" && !leaf.methods.contains("HEAD")) allowed += ", HEAD";
    }
    return allowed;
}

// Appends one entry per capture; find() fills in the names, which depend on the method.
const router::node* router::descend(
    const node& parent, std::string_view rest, captures& captures) const {
    if (rest.empty()) return parent.methods.empty() ? nullptr : &parent;
    const std::string_view whole = rest;
    const std::string_view segment = pop_segment(rest);
    const std::size_t depth = captures.size();
    if (const auto literal = parent.literals.find(segment); literal != parent.literals.end()) {
        if (const auto* leaf = descend(*literal->second, rest, captures)) return leaf;
        captures.resize(depth);
    }
    if (parent.any_segment && !segment.empty()) {
        captures.emplace_back(std::string(), segment);
        if (const auto* leaf = descend(*parent.any_segment, rest, captures)) return leaf;
        captures.resize(depth);
    }
    if (!parent.any_rest) return nullptr;
    captures.emplace_back(std::string(), whole.substr(1));
    return parent.any_rest.get();
}

router::outcome router::find(std::string_view method, std::string_view path) const {
    if (!path.starts_with('/')) return malformed_path{};
    const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
    captures captures;
    const node* leaf = slashes > segments_max ? nullptr : descend(*root_, path, captures);
    if (leaf == nullptr) return path_not_found{};
    auto method_route = leaf->methods.find(method);
    if (method_route == leaf->methods.end() && method == "HEAD")
        method_route = leaf->methods.find("GET");
    if (method_route == leaf->methods.end()) return method_not_found{allowed_methods(*leaf)};
    for (std::size_t index = 0; index < captures.size(); ++index) {
        auto decoded = percent_decode(captures[index].second);
        if (!decoded) return malformed_path{};
        captures[index] = {method_route->second.names[index], *std::move(decoded)};
    }
    return match{.route = &method_route->second.route, .captures = std::move(captures)};
}

}  // namespace muster::net::http
