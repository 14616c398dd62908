// NVRTC has assert by itself.
