#include "adapters/repository/repository_reader.h"

#include "adapters/net/http/client.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "adapters/pki/fingerprint.h"
#include "adapters/repository/address.h"
#include "adapters/repository/checksum.h"
#include "adapters/repository/signature.h"
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
constexpr std::size_t key_bytes_max = std::size_t{1024} * 1024;
constexpr std::size_t signature_bytes_max = std::size_t{256} * 1024;
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
                + "; install the package ca-certificates, or set outbound.ca");
    TRY(auto trusted, pki::certificate::chain_from_pem(*pem));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

namespace fs = std::filesystem;

bool lies_below(const fs::path& file, const fs::path& top) {
    std::error_code failure;
    const auto inside = fs::relative(file, top, failure);
    return !failure && !inside.empty() && *inside.begin() != "..";
}

// Whether a directory, with all links followed, lies where the operator lets repositories be.
result<void> check_allowed(const fs::path& top, const std::vector<fs::path>& directories) {
    for (const auto& directory : directories) {
        std::error_code failure;
        const auto allowed = fs::canonical(directory, failure);
        if (!failure && lies_below(top, allowed)) return {};
    }
    return fail(
        errc::invalid,
        fmt::format(
            "{} does not lie in a directory for repositories; this server's `content.directories` "
            "says which there are",
            top.string()));
}

// What lies where, on this server.
struct local_file {
    fs::path base;
    std::string path;
    std::vector<fs::path> directories;
};

// A link may lead out of the repository; what it leads to is none of the repository's.
result<std::string> load(const local_file& local_file, std::size_t bytes_max) {
    std::error_code failure;
    const auto top = fs::canonical(local_file.base, failure);
    CHECK_OK(
        check_allowed(failure ? local_file.base.lexically_normal() : top, local_file.directories));
    const auto file =
        failure ? local_file.base : fs::canonical(local_file.base / local_file.path, failure);
    if (failure || !fs::is_regular_file(file, failure))
        return fail(
            errc::unavailable,
            fmt::format("{} has no file {}", local_file.base.string(), local_file.path));
    if (!lies_below(file, top))
        return fail(errc::invalid, fmt::format("{} leads out of the repository", local_file.path));
    const auto size = fs::file_size(file, failure);
    if (failure || size > bytes_max)
        return fail(
            errc::invalid, fmt::format("{} has more than {} bytes", local_file.path, bytes_max));
    std::string text(size, '\0');
    std::ifstream from(file, std::ios::binary);
    if (!from.read(text.data(), static_cast<std::streamsize>(size)))
        return fail(errc::unavailable, fmt::format("{} could not be read", local_file.path));
    return text;
}

result<std::string> redirected(const http::answer& answer, const std::string& from) {
    TRY(auto to, led_to(from, answer.field("location").value_or("")));
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
    suite result{.base = std::move(base), .wanted = {.arch = from.arch}};
    const auto dists = result.base.find("/dists/");
    const auto binary = result.base.rfind("/binary-");
    if (dists == std::string::npos || binary == std::string::npos || binary < dists) return result;
    const auto end = result.base.find('/', dists + 7);
    if (end == std::string::npos || end >= binary) return result;
    result.wanted.arch = result.base.substr(binary + 8);
    result.wanted.prefix = result.base.substr(end + 1) + "/";
    result.base.resize(end);
    return result;
}

}  // namespace

struct repository_reader::way {
    address where;
    std::shared_ptr<const net::tls_client> tls;            // when it was needed
    std::shared_ptr<const net::address_filter> addresses;  // that may be called
};

repository_reader::repository_reader(muster::clock& clock, options options)
    : clock_(clock), options_(std::move(options)), beside_(16) {}

// Whoever waits may be gone before the work is done: it has everything by itself.
template <class Read>
async<void> repository_reader::take(std::shared_ptr<way> through, metadata_file file, Read read) {
    CO_TRY(auto bytes, co_await fetch(through, file.path, options_.limits.packed_bytes_max));
    const auto done = co_await beside_.run<bool>(
        [bytes = std::move(bytes),
         file = std::move(file),
         read = std::move(read)]() -> result<bool> {
            CHECK_OK(check_sum(bytes, file.checksum_type, file.checksum));
            CHECK_OK(read(bytes));
            return true;
        });
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

// Also when only a redirect leads to https.
result<std::shared_ptr<const net::tls_client>> repository_reader::tls_for(
    way& through, const std::string& url) const {
    TRY(const auto read, http::parse_url(url));
    if (read.over != http::url::security::tls) return nullptr;
    if (!through.tls) {
        TRY(through.tls, tls_with(options_.authorities));
    }
    return through.tls;
}

async<std::string> repository_reader::fetch_over_http(
    std::shared_ptr<way> through, std::string url, std::size_t bytes_max) {
    for (int hop = 0; hop <= redirects_max; ++hop) {
        CO_TRY(const auto tls, tls_for(*through, url));
        http::client client(
            {.clock = &clock_,
             .tls = tls,
             .allowed = limits_of(bytes_max),
             .addresses = through->addresses});
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
    local_file local_file{
        .base = through->where.base, .path = std::move(path), .directories = options_.directories};
    co_return co_await beside_.run<std::string>(
        [local_file = std::move(local_file), bytes_max] { return load(local_file, bytes_max); });
}

async<std::string> repository_reader::fetch_key(std::shared_ptr<way> through, std::string url) {
    CO_TRY(const auto where, parse_address(url));
    if (!where.local) co_return co_await fetch_over_http(through, where.base, key_bytes_max);
    const fs::path file(where.base);
    local_file local_file{
        .base = file.parent_path(),
        .path = file.filename().string(),
        .directories = options_.directories};
    co_return co_await beside_.run<std::string>(
        [local_file = std::move(local_file)] { return load(local_file, key_bytes_max); });
}

async<std::string> repository_reader::read_index(
    std::shared_ptr<way> through, source from, index_files index_files) {
    CO_TRY(auto index, co_await fetch(through, index_files.index, options_.limits.index_bytes_max));
    if (!from.signed_by) co_return index;
    signed_index signed_index{.index = index};
    CO_TRY(
        signed_index.signature,
        co_await fetch(through, index_files.signature, signature_bytes_max));
    signing_key key{.print = from.signed_by->print};
    auto fetching = fetch_key(through, from.signed_by->key_url);
    auto block = co_await std::move(fetching);
    if (!block) co_return fail(block.error().within("the channel's key"));
    key.block = *std::move(block);
    const auto done = co_await beside_.run<bool>(
        [signed_index = std::move(signed_index),
         key = std::move(key),
         &clock = clock_]() -> result<bool> {
            CHECK_OK(check_signature(signed_index, key, clock));
            return true;
        });
    if (!done) co_return fail(done.error());
    co_return index;
}

async<contents> repository_reader::read_rpm(
    std::shared_ptr<way> through, source from, teller teller) {
    teller("reads repomd.xml");
    index_files files{.index = "repodata/repomd.xml", .signature = "repodata/repomd.xml.asc"};
    CO_TRY(const auto index, co_await read_index(through, std::move(from), std::move(files)));
    CO_TRY(const auto named, read_repomd(index));
    auto result = std::make_shared<contents>();
    result->revision = to_hex(pki::sha256(index));
    teller("reads " + named.primary.path);
    CO_CHECK_OK(co_await take(
        through, named.primary, [result, limits = options_.limits](std::string_view bytes) {
            return read_packages(bytes, packages::family::rpm, limits, *result);
        }));
    if (!named.updateinfo) co_return std::move(*result);
    teller("reads " + named.updateinfo->path);
    CO_CHECK_OK(co_await take(
        through, *named.updateinfo, [result, limits = options_.limits](std::string_view bytes) {
            return read_updateinfo(bytes, limits, *result);
        }));
    co_return std::move(*result);
}

async<contents> repository_reader::read_deb(
    std::shared_ptr<way> through, source from, teller teller) {
    const auto suite = suite_of(from, through->where.base);
    through->where.base = suite.base;
    teller("reads Release");
    index_files files{.index = "Release", .signature = "Release.gpg"};
    CO_TRY(const auto index, co_await read_index(through, std::move(from), std::move(files)));
    CO_TRY(const auto named, read_release(index, suite.wanted, options_.limits));
    auto result = std::make_shared<contents>();
    result->revision = to_hex(pki::sha256(index));
    for (const auto& each : named) {
        teller("reads " + each.path);
        CO_CHECK_OK(co_await take(
            through, each, [result, limits = options_.limits](std::string_view bytes) {
                return read_packages(bytes, packages::family::deb, limits, *result);
            }));
    }
    co_return std::move(*result);
}

async<contents> repository_reader::read(source from, teller teller) {
    CO_TRY(const auto where, parse_address(from.url));
    auto through = std::make_shared<way>(way{.where = where});
    const bool key_is_far = from.signed_by && !from.signed_by->key_url.starts_with('/')
                            && !from.signed_by->key_url.starts_with("file:");
    if (!where.local || key_is_far) {
        CO_TRY(
            through->addresses, co_await net::outbound_address_policy(options_.addresses).open());
    }
    if (from.layout == packages::family::rpm)
        co_return co_await read_rpm(std::move(through), std::move(from), std::move(teller));
    co_return co_await read_deb(std::move(through), std::move(from), std::move(teller));
}

}  // namespace muster::repository
