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
        route to;
        std::vector<std::string> names;  // of the captures, in the order of the path
    };
    std::map<std::string, method_route, std::less<>> methods;
};

struct router::segment {
    enum class kind { literal, one, rest } what;
    std::string_view text;  // the literal, or the capture's name
};

namespace {

constexpr std::size_t segments_max = 32;

// Takes the first segment off "/a/b": returns "a" and leaves "/b".
std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    const std::string_view reserved = path.substr(0, end);
    path.remove_prefix(end);
    return reserved;
}

}  // namespace

std::optional<router::segment> router::parse_segment(std::string_view text) {
    const bool capture = text.starts_with('{') && text.ends_with('}');
    if (!capture) {
        if (text.find_first_of("{}%?#") != std::string_view::npos) return std::nullopt;
        return segment{segment::kind::literal, text};
    }
    std::string_view name = text.substr(1, text.size() - 2);
    const bool rest = name.ends_with("...");
    if (rest) name.remove_suffix(3);
    if (!is_token(name)) return std::nullopt;
    return segment{rest ? segment::kind::rest : segment::kind::one, name};
}

router::router() : root_(std::make_unique<node>()) {}
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;
router::~router() = default;

std::unique_ptr<router::node>& router::child_of(node& parent, const segment& next) {
    switch (next.what) {
        case segment::kind::literal:
            return parent.literals[std::string(next.text)];
        case segment::kind::one:
            return parent.any_segment;
        case segment::kind::rest:
            return parent.any_rest;
    }
    MUSTER_ASSERT(false);
}

result<void> router::add(std::string_view method, std::string_view pattern, route to) {
    const auto wrong = [&](std::string_view why) {
        return fail(errc::invalid, "route " + std::string(pattern) + ": " + std::string(why));
    };
    if (!is_token(method)) return wrong("the method is not a word");
    if (!pattern.starts_with('/')) return wrong("a pattern starts with a slash");
    node* at = root_.get();
    std::vector<std::string> names;
    for (std::string_view rest = pattern; !rest.empty();) {
        const auto next = parse_segment(take_segment(rest));
        if (!next) return wrong("a segment is a literal, {name} or {name...}");
        if (next->what == segment::kind::rest && !rest.empty())
            return wrong("{name...} must come last");
        if (next->what != segment::kind::literal) names.emplace_back(next->text);
        auto& child = child_of(*at, *next);
        if (!child) child = std::make_unique<node>();
        at = child.get();
    }
    auto [slot, added] = at->methods.try_emplace(
        std::string(method), node::method_route{.to = std::move(to), .names = std::move(names)});
    if (!added) return wrong("this method has a handler already");
    return {};
}

std::string router::allowed_at(const node& leaf) {
    std::string allowed;
    for (const auto& [name, unused] : leaf.methods) {
        allowed += (allowed.empty() ? "" : ", ") + name;
        if (name == "GET" && !leaf.methods.contains("HEAD")) allowed += ", HEAD";
    }
    return allowed;
}

// `values` gets one entry a capture; names are filled in by find(), which knows the method.
const router::node* router::descend(
    const node& from, std::string_view rest, captures& values) const {
    if (rest.empty()) return from.methods.empty() ? nullptr : &from;
    const std::string_view whole = rest;
    const std::string_view next = take_segment(rest);
    const std::size_t depth = values.size();
    if (const auto literal = from.literals.find(next); literal != from.literals.end()) {
        if (const auto* leaf = descend(*literal->second, rest, values)) return leaf;
        values.resize(depth);
    }
    if (from.any_segment && !next.empty()) {
        values.emplace_back(std::string(), next);
        if (const auto* leaf = descend(*from.any_segment, rest, values)) return leaf;
        values.resize(depth);
    }
    if (!from.any_rest) return nullptr;
    values.emplace_back(std::string(), whole.substr(1));
    return from.any_rest.get();
}

router::outcome router::find(std::string_view method, std::string_view path) const {
    if (!path.starts_with('/')) return malformed_path{};
    const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
    captures values;
    const node* leaf = slashes > segments_max ? nullptr : descend(*root_, path, values);
    if (leaf == nullptr) return no_such_path{};
    auto desired = leaf->methods.find(method);
    if (desired == leaf->methods.end() && method == "HEAD") desired = leaf->methods.find("GET");
    if (desired == leaf->methods.end()) return no_such_method{allowed_at(*leaf)};
    for (std::size_t at = 0; at < values.size(); ++at) {
        auto decoded = percent_decoded(values[at].second);
        if (!decoded) return malformed_path{};
        values[at] = {desired->second.names[at], *std::move(decoded)};
    }
    return found{.to = &desired->second.to, .values = std::move(values)};
}

}  // namespace muster::net::http
