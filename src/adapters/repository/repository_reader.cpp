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

http::client_limits client_limits_for(std::size_t bytes_max) {
    return {.first_byte_time = 30s, .request_time = 600s, .body_bytes_max = bytes_max};
}

result<std::shared_ptr<const net::tls_client>> load_tls(const std::filesystem::path& authorities) {
    auto pem = os::load_file(authorities);
    if (!pem)
        return fail(
            errc::unavailable,
            "no CA certificates in " + authorities.string()
                + "; install the package ca-certificates or set outbound.ca");
    TRY(auto trusted, pki::certificate::chain_from_pem(*pem));
    return net::tls_client::create(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

namespace fs = std::filesystem;

bool is_below(const fs::path& file, const fs::path& directory) {
    std::error_code failure;
    const auto relative = fs::relative(file, directory, failure);
    return !failure && !relative.empty() && *relative.begin() != "..";
}

// errc::invalid unless the directory, with all links resolved, lies in an allowed one.
result<void> check_allowed(const fs::path& repository, const std::vector<fs::path>& directories) {
    for (const auto& directory : directories) {
        std::error_code failure;
        const auto parent = fs::canonical(directory, failure);
        if (!failure && is_below(repository, parent)) return {};
    }
    return fail(
        errc::invalid,
        fmt::format(
            "{} is not in a directory allowed for repositories; set content.directories",
            repository.string()));
}

// A file of a local repository.
struct file_location {
    fs::path base;
    std::string path;
    std::vector<fs::path> directories;
};

// Refuses links that lead out of the repository.
result<std::string> load(const file_location& location, std::size_t bytes_max) {
    std::error_code failure;
    const auto top = fs::canonical(location.base, failure);
    CHECK_OK(check_allowed(failure ? location.base.lexically_normal() : top, location.directories));
    const auto file =
        failure ? location.base : fs::canonical(location.base / location.path, failure);
    if (failure || !fs::is_regular_file(file, failure))
        return fail(
            errc::unavailable,
            fmt::format("repository {} has no file {}", location.base.string(), location.path));
    if (!is_below(file, top))
        return fail(
            errc::invalid, fmt::format("file {} is outside of the repository", location.path));
    const auto size = fs::file_size(file, failure);
    if (failure || size > bytes_max)
        return fail(
            errc::invalid,
            fmt::format("file {} exceeds the limit of {} bytes", location.path, bytes_max));
    std::string text(size, '\0');
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(text.data(), static_cast<std::streamsize>(size)))
        return fail(errc::unavailable, fmt::format("cannot read file {}", location.path));
    return text;
}

result<std::string> resolve_location(
    const http::client_response& response, const std::string& url) {
    TRY(auto target, resolve_redirect(url, response.field("location").value_or("")));
    TRY(const auto current, http::parse_url(url));
    TRY(const auto next, http::parse_url(target));
    if (current.transport == http::url::security::tls && next.transport != http::url::security::tls)
        return fail(errc::invalid, "redirect from https to http refused");
    return target;
}

// ".../dists/SUITE/COMPONENT/binary-ARCH" is a part of the suite that Release describes.
struct suite {
    std::string base;
    release_query query;
};

suite find_suite(const source& source, std::string base) {
    suite result{.base = std::move(base), .query = {.arch = source.arch}};
    const auto dists = result.base.find("/dists/");
    const auto binary = result.base.rfind("/binary-");
    if (dists == std::string::npos || binary == std::string::npos || binary < dists) return result;
    const auto end = result.base.find('/', dists + 7);
    if (end == std::string::npos || end >= binary) return result;
    result.query.arch = result.base.substr(binary + 8);
    result.query.prefix = result.base.substr(end + 1) + "/";
    result.base.resize(end);
    return result;
}

}  // namespace

// Where and how a repository is read.
struct repository_reader::access {
    repository::address address;
    std::shared_ptr<const net::tls_client> tls;                    // loaded on demand
    std::shared_ptr<const net::address_filter> allowed_addresses;  // set for remote files
};

repository_reader::repository_reader(muster::clock& clock, options options)
    : clock_(clock), options_(std::move(options)), worker_(16) {}

// The caller may be gone before the work is done, so the work owns its data.
template <class Read>
async<void> repository_reader::fetch_and_read(
    access_pointer access, metadata_file file, Read read) {
    CO_TRY(auto bytes, co_await fetch(access, file.path, options_.limits.file_bytes_max));
    const auto done = co_await worker_.run<bool>(
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

// Loaded on demand, because a redirect may lead to https.
result<std::shared_ptr<const net::tls_client>> repository_reader::tls_for(
    repository_reader::access& access, const std::string& url) const {
    TRY(const auto parsed_url, http::parse_url(url));
    if (parsed_url.transport != http::url::security::tls) return nullptr;
    if (!access.tls) {
        TRY(access.tls, load_tls(options_.authorities));
    }
    return access.tls;
}

async<std::string> repository_reader::fetch_over_http(
    access_pointer access, std::string url, std::size_t bytes_max) {
    for (int hop = 0; hop <= redirects_max; ++hop) {
        CO_TRY(const auto tls, tls_for(*access, url));
        http::client client(
            {.clock = &clock_,
             .tls = tls,
             .limits = client_limits_for(bytes_max),
             .allowed_addresses = access->allowed_addresses});
        const auto response = co_await client.send({.url = url});
        if (!response)
            co_return fail(
                errc::unavailable,
                fmt::format("cannot fetch {}: {}", url, response.error().detail()));
        if (response->status == 200) co_return response->body;
        if (std::ranges::find(redirects, response->status) == redirects.end())
            co_return fail(
                errc::unavailable,
                fmt::format("{} returned HTTP status {}", url, response->status));
        CO_TRY(url, resolve_location(*response, url));
    }
    co_return fail(errc::unavailable, fmt::format("too many redirects: {}", url));
}

async<std::string> repository_reader::fetch(
    access_pointer access, std::string path, std::size_t bytes_max) {
    CO_CHECK_OK(check_path(path));
    if (!access->address.local)
        co_return co_await fetch_over_http(access, join_path(access->address, path), bytes_max);
    file_location location{
        .base = access->address.base, .path = std::move(path), .directories = options_.directories};
    co_return co_await worker_.run<std::string>(
        [location = std::move(location), bytes_max] { return load(location, bytes_max); });
}

async<std::string> repository_reader::fetch_key(access_pointer access, std::string url) {
    CO_TRY(const auto address, parse_address(url));
    if (!address.local) co_return co_await fetch_over_http(access, address.base, key_bytes_max);
    const fs::path file(address.base);
    file_location location{
        .base = file.parent_path(),
        .path = file.filename().string(),
        .directories = options_.directories};
    co_return co_await worker_.run<std::string>(
        [location = std::move(location)] { return load(location, key_bytes_max); });
}

async<std::string> repository_reader::read_index(
    access_pointer access, repository::source source, index_paths paths) {
    CO_TRY(auto index, co_await fetch(access, paths.index, options_.limits.index_bytes_max));
    if (!source.signed_by) co_return index;
    signed_index signed_index{.index = index};
    CO_TRY(signed_index.signature, co_await fetch(access, paths.signature, signature_bytes_max));
    signing_key key{.fingerprint = source.signed_by->fingerprint};
    auto fetching = fetch_key(access, source.signed_by->key_url);
    auto block = co_await std::move(fetching);
    if (!block) co_return fail(block.error().with_context("channel key"));
    key.block = *std::move(block);
    const auto done = co_await worker_.run<bool>(
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
    access_pointer access, repository::source source, progress_callback progress) {
    progress("reading repomd.xml");
    index_paths paths{.index = "repodata/repomd.xml", .signature = "repodata/repomd.xml.asc"};
    CO_TRY(const auto index, co_await read_index(access, std::move(source), std::move(paths)));
    CO_TRY(const auto index_entries, read_repomd(index));
    auto result = std::make_shared<contents>();
    result->revision = to_hex(pki::sha256(index));
    progress("reading " + index_entries.primary.path);
    CO_CHECK_OK(co_await fetch_and_read(
        access, index_entries.primary, [result, limits = options_.limits](std::string_view bytes) {
            return read_packages(bytes, packages::family::rpm, limits, *result);
        }));
    if (!index_entries.updateinfo) co_return std::move(*result);
    progress("reading " + index_entries.updateinfo->path);
    CO_CHECK_OK(co_await fetch_and_read(
        access,
        *index_entries.updateinfo,
        [result, limits = options_.limits](std::string_view bytes) {
            return read_updateinfo(bytes, limits, *result);
        }));
    co_return std::move(*result);
}

async<contents> repository_reader::read_deb(
    access_pointer access, repository::source source, progress_callback progress) {
    const auto suite = find_suite(source, access->address.base);
    access->address.base = suite.base;
    progress("reading Release");
    index_paths paths{.index = "Release", .signature = "Release.gpg"};
    CO_TRY(const auto index, co_await read_index(access, std::move(source), std::move(paths)));
    CO_TRY(const auto files, read_release(index, suite.query, options_.limits));
    auto result = std::make_shared<contents>();
    result->revision = to_hex(pki::sha256(index));
    for (const auto& file : files) {
        progress("reading " + file.path);
        CO_CHECK_OK(co_await fetch_and_read(
            access, file, [result, limits = options_.limits](std::string_view bytes) {
                return read_packages(bytes, packages::family::deb, limits, *result);
            }));
    }
    co_return std::move(*result);
}

async<contents> repository_reader::read(repository::source source, progress_callback progress) {
    CO_TRY(const auto address, parse_address(source.url));
    auto access =
        std::make_shared<repository_reader::access>(repository_reader::access{.address = address});
    const bool key_is_remote = source.signed_by && !source.signed_by->key_url.starts_with('/')
                               && !source.signed_by->key_url.starts_with("file:");
    if (!address.local || key_is_remote) {
        CO_TRY(
            access->allowed_addresses,
            co_await net::outbound_address_policy(options_.addresses).resolve_filter());
    }
    if (source.layout == packages::family::rpm)
        co_return co_await read_rpm(std::move(access), std::move(source), std::move(progress));
    co_return co_await read_deb(std::move(access), std::move(source), std::move(progress));
}

}  // namespace muster::repository
