#include "adapters/repository/repository_reader.h"

#include "adapters/net/http/client.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "adapters/pki/fingerprint.h"
#include "adapters/repository/address.h"
#include "adapters/repository/checksum.h"
#include "base/hex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <utility>

namespace muster::repository {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr int redirects_max = 5;
constexpr std::array redirects{301U, 302U, 303U, 307U, 308U};

http::client_limits limits_of(std::size_t bytes_max) {
    return {.first_byte_time = 30s, .whole_time = 600s, .body_bytes_max = bytes_max};
}

result<std::shared_ptr<const net::tls_client>> tls_with(const std::filesystem::path& authorities) {
    auto pem = os::load_file(authorities);
    if (!pem)
        return fail(
            errc::unavailable,
            "this server has no certificates of authorities in " + authorities.string()
                + "; install the package ca-certificates");
    TRY(auto trusted, pki::certificate::chain_from_pem(*pem));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

// A link may lead out of the repository; what it leads to is none of the repository's.
result<std::string> load(
    const std::filesystem::path& base, const std::string& path, std::size_t bytes_max) {
    std::error_code failure;
    const auto top = std::filesystem::canonical(base, failure);
    const auto file = failure ? base : std::filesystem::canonical(base / path, failure);
    if (failure || !std::filesystem::is_regular_file(file, failure))
        return fail(errc::unavailable, fmt::format("{} has no file {}", base.string(), path));
    const auto inside = std::filesystem::relative(file, top, failure);
    if (failure || inside.empty() || *inside.begin() == "..")
        return fail(errc::invalid, fmt::format("{} leads out of the repository", path));
    const auto size = std::filesystem::file_size(file, failure);
    if (failure || size > bytes_max)
        return fail(errc::invalid, fmt::format("{} has more than {} bytes", path, bytes_max));
    std::string text(size, '\0');
    std::ifstream from(file, std::ios::binary);
    if (!from.read(text.data(), static_cast<std::streamsize>(size)))
        return fail(errc::unavailable, fmt::format("{} could not be read", path));
    return text;
}

result<std::string> redirected(const http::answer& answer, const std::string& from) {
    const std::string to(answer.field("location").value_or(""));
    TRY(const auto now, http::parse_url(from));
    TRY(const auto next, http::parse_url(to));
    if (now.over == http::url::security::tls && next.over != http::url::security::tls)
        return fail(
            errc::invalid, "the repository leads from https to http, which is not followed");
    return to;
}

// ".../dists/SUITE/COMPONENT/binary-ARCH" is a part of what the suite's Release describes.
struct suite {
    std::string base;
    release_question wanted;
};

suite suite_of(const source& from, std::string base) {
    suite made{.base = std::move(base), .wanted = {.arch = from.arch}};
    const auto dists = made.base.find("/dists/");
    const auto binary = made.base.rfind("/binary-");
    if (dists == std::string::npos || binary == std::string::npos || binary < dists) return made;
    const auto end = made.base.find('/', dists + 7);
    if (end == std::string::npos || end >= binary) return made;
    made.wanted.arch = made.base.substr(binary + 8);
    made.wanted.prefix = made.base.substr(end + 1) + "/";
    made.base.resize(end);
    return made;
}

}  // namespace

struct repository_reader::way {
    address where;
    std::shared_ptr<const net::tls_client> tls;
};

repository_reader::repository_reader(clock& time, options how)
    : time_(time), how_(std::move(how)), beside_(16) {}

// Whoever waits may be gone before the work is done: it has everything by itself.
async<void> repository_reader::take(std::shared_ptr<way> through, metadata_file file, reading how) {
    CO_TRY(auto bytes, co_await fetch(through, file.path, how_.limits.packed_bytes_max));
    const auto done = co_await beside_.run<bool>(
        [bytes = std::move(bytes), file = std::move(file), how = std::move(how)]() -> result<bool> {
            CHECK_OK(check_sum(bytes, file.checksum_type, file.checksum));
            CHECK_OK(how(bytes));
            return true;
        });
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<std::string> repository_reader::fetch_over_http(
    std::shared_ptr<way> through, std::string url, std::size_t bytes_max) {
    http::client client({.time = &time_, .tls = through->tls, .allowed = limits_of(bytes_max)});
    for (int hop = 0; hop <= redirects_max; ++hop) {
        const auto answer = co_await client.send({.url = url});
        if (!answer)
            co_return fail(
                errc::unavailable,
                fmt::format("{} was not fetched: {}", url, answer.error().detail()));
        if (answer->status == 200) co_return answer->body;
        if (std::ranges::find(redirects, answer->status) == redirects.end())
            co_return fail(
                errc::unavailable, fmt::format("{} answered with {}", url, answer->status));
        CO_TRY(url, redirected(*answer, url));
    }
    co_return fail(errc::unavailable, fmt::format("{} leads from one place to the next", url));
}

async<std::string> repository_reader::fetch(
    std::shared_ptr<way> through, std::string path, std::size_t bytes_max) {
    CO_CHECK_OK(check_path(path));
    if (!through->where.local)
        co_return co_await fetch_over_http(through, below(through->where, path), bytes_max);
    co_return co_await beside_.run<std::string>(
        [base = through->where.base, path = std::move(path), bytes_max] {
            return load(base, path, bytes_max);
        });
}

async<contents> repository_reader::read_rpm(std::shared_ptr<way> through, teller told) {
    told("reads repomd.xml");
    CO_TRY(
        const auto index,
        co_await fetch(through, "repodata/repomd.xml", how_.limits.index_bytes_max));
    CO_TRY(const auto named, read_repomd(index));
    auto made = std::make_shared<contents>();
    made->revision = to_hex(pki::sha256(index));
    told("reads " + named.primary.path);
    CO_CHECK_OK(
        co_await take(through, named.primary, [made, limits = how_.limits](std::string_view bytes) {
            return read_packages(bytes, packages::family::rpm, limits, *made);
        }));
    if (!named.updateinfo) co_return std::move(*made);
    told("reads " + named.updateinfo->path);
    CO_CHECK_OK(co_await take(
        through, *named.updateinfo, [made, limits = how_.limits](std::string_view bytes) {
            return read_updateinfo(bytes, limits, *made);
        }));
    co_return std::move(*made);
}

async<contents> repository_reader::read_deb(
    std::shared_ptr<way> through, source from, teller told) {
    const auto suite = suite_of(from, through->where.base);
    through->where.base = suite.base;
    told("reads Release");
    CO_TRY(const auto index, co_await fetch(through, "Release", how_.limits.index_bytes_max));
    CO_TRY(const auto named, read_release(index, suite.wanted, how_.limits));
    auto made = std::make_shared<contents>();
    made->revision = to_hex(pki::sha256(index));
    for (const auto& each : named) {
        told("reads " + each.path);
        CO_CHECK_OK(
            co_await take(through, each, [made, limits = how_.limits](std::string_view bytes) {
                return read_packages(bytes, packages::family::deb, limits, *made);
            }));
    }
    co_return std::move(*made);
}

async<contents> repository_reader::read(source from, teller told) {
    CO_TRY(const auto where, parse_address(from.url));
    auto through = std::make_shared<way>(way{.where = where, .tls = nullptr});
    if (where.base.starts_with("https://")) {
        CO_TRY(through->tls, tls_with(how_.authorities));
    }
    if (from.layout == packages::family::rpm)
        co_return co_await read_rpm(std::move(through), std::move(told));
    co_return co_await read_deb(std::move(through), std::move(from), std::move(told));
}

}  // namespace muster::repository
