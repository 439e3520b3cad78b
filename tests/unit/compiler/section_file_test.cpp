#include "compiler/section_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/kernel_bundle.h"

namespace nfx {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const Section& section) {
  return {reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size()};
}

class SectionFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Section> sections{
        {"about", bytes_of(about_)}, {"empty", {}}, {"storage/0", bytes_of(weights_)}};
    ASSERT_TRUE(write_sections(path_, sections).ok());
    std::ifstream stream(path_, std::ios::binary);
    file_ = {std::istreambuf_iterator<char>(stream), {}};
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = testing::TempDir() + "section_file_test";
  const std::string about_ = "what it is";
  const std::string weights_ = std::string(100, 'w');
  std::string file_;
};

TEST_F(SectionFile, GivesBackWhatWasWritten) {
  const Result<std::vector<Section>> found = read_sections(bytes_of(file_));
  ASSERT_TRUE(found.ok()) << found.error().str();
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].name, "about");
  EXPECT_EQ(text_of((*found)[0]), about_);
  EXPECT_TRUE((*found)[1].bytes.empty());
  EXPECT_EQ(text_of((*found)[2]), weights_);
  EXPECT_EQ(((*found)[2].bytes.data() - bytes_of(file_).data()) % 64, 0);
  EXPECT_TRUE(check_sections(bytes_of(file_), "", 2).ok());
}

TEST_F(SectionFile, RefusesEveryPrefix) {
  for (size_t size = 0; size < file_.size(); ++size) {
    const auto found = read_sections(bytes_of(file_).first(size));
    ASSERT_FALSE(found.ok()) << size;
    EXPECT_EQ(found.error().code, "bad-program");
  }
}

TEST_F(SectionFile, RefusesEveryChangedByte) {
  for (size_t i = 0; i < file_.size(); ++i) {
    std::string changed = file_;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_FALSE(check_sections(bytes_of(changed)).ok()) << i;
  }
}

TEST_F(SectionFile, ChecksOnlyWhatItIsAskedFor) {
  file_.back() = '?';
  EXPECT_TRUE(check_sections(bytes_of(file_), "about").ok());
  const Status status = check_sections(bytes_of(file_), "storage/");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("`storage/0`"), std::string::npos);
}

TEST_F(SectionFile, SaysWhereItCannotWrite) {
  const Status status = write_sections(testing::TempDir() + "no/such/folder/file", {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "cannot-write-program");
}

TEST(KernelBundle, GivesBackWhatWasPackedAndRefusesWhatIsCutOff) {
  const std::vector<KernelObject> objects{{"key one", std::string("code\0code", 9)}, {"", ""}};
  const std::string packed = pack_kernels(objects);
  const Result<std::vector<KernelObject>> found = unpack_kernels(bytes_of(packed));
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].key, objects[0].key);
  EXPECT_EQ((*found)[0].object, objects[0].object);
  size_t refused = 0;
  for (size_t size = 0; size < packed.size(); ++size) {
    const auto part = unpack_kernels(bytes_of(packed).first(size));
    if (part.ok()) continue;  // it ends where an object does
    EXPECT_EQ(part.error().code, "bad-program");
    ++refused;
  }
  EXPECT_EQ(refused, packed.size() - 2);
  std::string huge = packed;
  const uint64_t size = UINT64_MAX;
  std::memcpy(huge.data(), &size, sizeof size);
  EXPECT_FALSE(unpack_kernels(bytes_of(huge)).ok());
}

}  // namespace
}  // namespace nfx
