#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

namespace muster::repository {

// Bytes that may be packed by gzip, xz, zstd or bzip2, as a file to read: unpacked as it is read,
// and never more than a limit. The bytes must outlive it.
class unpacked {
public:
    static result<std::unique_ptr<unpacked>> open(std::string_view bytes, std::size_t bytes_max);

    unpacked(const unpacked&) = delete;
    unpacked& operator=(const unpacked&) = delete;
    ~unpacked();

    std::FILE* file() const { return file_; }

    // Whether all was read, to its end and without a fault: to be asked by whoever has read it,
    // because to a reader of files a fault looks like the end. errc::corrupt.
    result<void> finish();

private:
    struct packed;
    explicit unpacked(std::unique_ptr<packed> from);

    std::unique_ptr<packed> from_;
    std::FILE* file_ = nullptr;
};

}  // namespace muster::repository
