from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Kiln(CMakePackage):
    """Run-time JIT kernel service: compiles kernels of CUDA text for GPUs and CPUs while a program runs, caches, checks and
    measures them. Program, C++, C and Fortran library. CUDA and ROCm are looked for when it runs and are no dependencies."""

    license("Apache-2.0", checked_by="the Kiln authors")

    # A checkout is what is built: `spack dev-build kiln@main` in it.
    manual_download = True
    download_instr = "Kiln is built from a checkout: spack dev-build kiln@main in its folder."

    version("main")
    version("0.2.0")

    variant("static_dependencies", default=False, description="Link third-party libraries statically where they can be")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")

    depends_on("boost@1.74: +context")
    depends_on("fmt@9:")
    depends_on("muparser@2.3:")
    depends_on("openssl@3:")
    depends_on("spdlog@1.10:")
    depends_on("yaml-cpp@0.7:")
    depends_on("zlib-api")
    with when("+static_dependencies"):
        depends_on("boost ~shared")
        depends_on("openssl ~shared")
        depends_on("yaml-cpp ~shared")

    conflicts("%gcc@:11", msg="Kiln is C++20: g++ 12 or later")
    conflicts("%clang@:13", msg="Kiln is C++20: clang++ 14 or later")
    conflicts("platform=windows")
    conflicts("platform=darwin")

    def cmake_args(self):
        return [
            self.define("KILN_BUILD_TESTS", False),
            self.define("KILN_INSTALL", True),
            self.define("KILN_UNITY", True),
            self.define_from_variant("KILN_STATIC_DEPENDENCIES", "static_dependencies"),
        ]

    def test_quickstart(self):
        """run a shipped job on the cpu"""
        kiln = Executable(self.prefix.bin.kiln)
        kiln("--version")
        job = join_path(self.prefix.share.kiln.configs, "quickstart.yaml")
        kiln("run", job, "--device", "cpu", "--cache-dir", join_path(self.test_suite.stage, "cache"))
