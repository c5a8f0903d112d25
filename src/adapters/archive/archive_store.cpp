#include "adapters/archive/archive_store.h"

#include "base/assert.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace muster::archive {
namespace {

result<void> check_files(const std::filesystem::path& directory, const manifest& manifest) {
    for (const auto& file : manifest.files) {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(directory / file.name, failure);
        if (!failure && bytes == file.bytes) continue;
        return fail(
            errc::corrupt,
            fmt::format(
                "{} has not the {} bytes that {} says; bring it back, or remove the manifest to "
                "have what is left in the ledger archived anew",
                (directory / file.name).string(),
                file.bytes,
                manifest_name(manifest.from, manifest.part)));
    }
    return {};
}

}  // namespace

archive_store::~archive_store() {
    thread_.join();
}

template <class T, class Work>
async<T> archive_store::perform(Work work) {
    co_return co_await completed<T>([this, work = std::move(work)](completion<T> done) mutable {
        boost::asio::post(
            thread_, [work = std::move(work), done = std::move(done)] { done(work()); });
    });
}

async<std::optional<manifest>> archive_store::find(wall_time from) {
    using found = std::optional<manifest>;
    auto work = [this, from]() -> result<found> {
        auto existing = load_manifest(directory_ / manifest_name(from));
        if (!existing && existing.error().code() == errc::not_found) return found();
        if (!existing) return fail(existing.error());
        CHECK_OK(check_files(directory_, *existing));
        return found(*std::move(existing));
    };
    co_return co_await perform<found>(std::move(work));
}

async<bool> archive_store::adopt(manifest on_record) {
    auto work = [this, noted = std::move(on_record)]() -> result<bool> {
        const auto existing = load_manifest(directory_ / manifest_name(noted.from, noted.part));
        if (existing) {
            CHECK_OK(check_files(directory_, *existing));
            return true;
        }
        if (existing.error().code() != errc::not_found) return fail(existing.error());
        if (noted.files.empty() || !check_files(directory_, noted)) return false;
        CHECK_OK(save_manifest(directory_, noted));
        return true;
    };
    co_return co_await perform<bool>(std::move(work));
}

async<void> archive_store::begin(place where) {
    auto work = [this, where = std::move(where)]() -> result<void> {
        std::error_code failure;
        std::filesystem::create_directories(directory_, failure);
        if (failure)
            return fail(
                errc::unavailable,
                fmt::format("cannot make {}: {}", directory_.string(), failure.message()));
        writing_.reset();
        const auto name = file_name(where.table, where.from, where.part);
        TRY(writing_, file_writer::create(directory_ / name));
        table_ = where.table;
        return {};
    };
    co_return co_await perform<void>(std::move(work));
}

async<void> archive_store::append(std::function<result<void>(file_writer&)> put) {
    auto work = [this, put = std::move(put)]() -> result<void> {
        MUSTER_ASSERT(writing_.has_value());
        return put(*writing_);
    };
    co_return co_await perform<void>(std::move(work));
}

async<archived_file> archive_store::end() {
    auto work = [this]() -> result<archived_file> {
        MUSTER_ASSERT(writing_.has_value());
        auto response = writing_->finish();
        writing_.reset();
        if (response) response->table = table_;
        return response;
    };
    co_return co_await perform<archived_file>(std::move(work));
}

async<void> archive_store::conclude(manifest manifest) {
    auto work = [this, manifest = std::move(manifest)] {
        return save_manifest(directory_, manifest);
    };
    co_return co_await perform<void>(std::move(work));
}

}  // namespace muster::archive
