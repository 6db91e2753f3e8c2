#!/usr/bin/env python3
"""Networks with the shapes of the families that people use, random weights, as ONNX files.

    onnx_networks.py write FOLDER            small ones of each family, with an input and PyTorch's result
    onnx_networks.py full FOLDER [NAME…]     the same in full size

NAME.onnx is the network, NAME.in and NAME.out are float32: the pixels and what PyTorch makes of them.
Needs Debian's python3-torch.
"""
import math
import os
import sys
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")


# ---- Pieces -----------------------------------------------------------------------------------------


def conv(inputs, outputs, kernel=1, stride=1, groups=1, act=nn.ReLU, norm=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, groups=groups, bias=not norm)]
    if norm:
        layers.append(nn.BatchNorm2d(outputs))
    if act:
        layers.append(act())
    return nn.Sequential(*layers)


class Residual(nn.Module):
    def __init__(self, inside, shortcut=None, act=None):
        super().__init__()
        self.inside, self.shortcut, self.act = inside, shortcut, act

    def forward(self, x):
        y = self.inside(x) + (self.shortcut(x) if self.shortcut else x)
        return self.act(y) if self.act else y


class Squeeze(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, channels, inner, act, gate):
        super().__init__()
        self.body = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, inner, 1), act(),
                                  nn.Conv2d(inner, channels, 1), gate())

    def forward(self, x):
        return x * self.body(x)


class Head(nn.Module):
    """Pooling and a classifier."""

    def __init__(self, channels, classes, dropout=0.0):
        super().__init__()
        self.drop, self.fc = nn.Dropout(dropout), nn.Linear(channels, classes)

    def forward(self, x):
        x = nn.functional.adaptive_avg_pool2d(x, 1)
        return self.fc(self.drop(torch.flatten(x, 1)))


# ---- Families ---------------------------------------------------------------------------------------


def vgg(width, classes, dense, size):
    layers, channels = [], 3
    for depth, count in ((1, 2), (2, 2), (4, 4), (8, 4), (8, 4)):
        for _ in range(count):
            layers.append(conv(channels, depth * width, 3, norm=False))
            channels = depth * width
        layers.append(nn.MaxPool2d(2))
    area = (size // 32) ** 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(channels * area, dense), nn.ReLU(), nn.Dropout(),
                         nn.Linear(dense, dense), nn.ReLU(), nn.Dropout(), nn.Linear(dense, classes))


class Fire(nn.Module):
    def __init__(self, inputs, inner, outputs):
        super().__init__()
        self.squeeze = conv(inputs, inner, norm=False)
        self.one, self.three = conv(inner, outputs, norm=False), conv(inner, outputs, 3, norm=False)

    def forward(self, x):
        x = self.squeeze(x)
        return torch.cat([self.one(x), self.three(x)], 1)


def squeezenet(width, classes, size):
    w = width
    pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)
    return nn.Sequential(
        nn.Conv2d(3, 4 * w, 3, 2), nn.ReLU(), pool(), Fire(4 * w, w, 4 * w), Fire(8 * w, w, 4 * w), pool(),
        Fire(8 * w, 2 * w, 8 * w), Fire(16 * w, 2 * w, 8 * w), pool(), Fire(16 * w, 3 * w, 12 * w),
        Fire(24 * w, 4 * w, 16 * w), nn.Dropout(), nn.Conv2d(32 * w, classes, 1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten())


def resnet(width, counts, classes, groups=1, base=1, size=224):
    layers = [conv(3, width, 7, 2), nn.MaxPool2d(3, 2, 1)]
    channels = width
    for stage, count in enumerate(counts):
        inner, outputs = width * 2**stage * base, width * 2**stage * 4
        for block in range(count):
            stride = 2 if stage and not block else 1
            inside = nn.Sequential(conv(channels, inner), conv(inner, inner, 3, stride, groups),
                                   conv(inner, outputs, act=None))
            same = channels == outputs and stride == 1
            layers.append(Residual(inside, None if same else conv(channels, outputs, 1, stride, act=None),
                                   nn.ReLU()))
            channels = outputs
    return nn.Sequential(*layers, Head(channels, classes))


class Dense(nn.Module):
    def __init__(self, channels, growth):
        super().__init__()
        self.body = nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, 4 * growth, 1, bias=False),
                                  nn.BatchNorm2d(4 * growth), nn.ReLU(),
                                  nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False))

    def forward(self, x):
        return torch.cat([x, self.body(x)], 1)


def densenet(growth, counts, classes, size):
    channels = 2 * growth
    layers = [conv(3, channels, 7, 2), nn.MaxPool2d(3, 2, 1)]
    for stage, count in enumerate(counts):
        for _ in range(count):
            layers.append(Dense(channels, growth))
            channels += growth
        layers += [nn.BatchNorm2d(channels), nn.ReLU()]
        if stage + 1 < len(counts):
            layers += [nn.Conv2d(channels, channels // 2, 1, bias=False), nn.AvgPool2d(2)]
            channels //= 2
    return nn.Sequential(*layers, Head(channels, classes))


def mobilenet1(width, classes, size):
    layers, channels = [conv(3, width, 3, 2)], width
    for factor, stride in ((2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2), (16, 1), (32, 2), (32, 1)):
        layers += [conv(channels, channels, 3, stride, channels), conv(channels, factor * width)]
        channels = factor * width
    return nn.Sequential(*layers, Head(channels, classes))


def inverted(inputs, inner, outputs, kernel, stride, act, squeeze=None):
    layers = [conv(inputs, inner, act=act)] if inner != inputs else []
    layers.append(conv(inner, inner, kernel, stride, inner, act=act))
    if squeeze:
        layers.append(squeeze(inner))
    layers.append(conv(inner, outputs, act=None))
    body = nn.Sequential(*layers)
    return Residual(body) if inputs == outputs and stride == 1 else body


def mobilenet2(width, classes, size):
    layers, channels = [conv(3, 2 * width, 3, 2, act=nn.ReLU6)], 2 * width
    for expand, outputs, count, stride in ((1, 1, 1, 1), (6, 1.5, 2, 2), (6, 2, 3, 2), (6, 4, 4, 2), (6, 6, 3, 1),
                                           (6, 10, 3, 2), (6, 20, 1, 1)):
        for block in range(count):
            out = int(outputs * width)
            layers.append(inverted(channels, expand * channels, out, 3, stride if not block else 1, nn.ReLU6))
            channels = out
    return nn.Sequential(*layers, conv(channels, 80 * width, act=nn.ReLU6), Head(80 * width, classes))


def mobilenet3(width, classes, size):
    w, hard = width, nn.Hardswish
    gate = lambda c: Squeeze(c, max(c // 4, 4), nn.ReLU, nn.Hardsigmoid)
    rows = ((1, 1, 1, 3, 1, nn.ReLU, None), (1, 4, 1.5, 3, 2, nn.ReLU, None), (1.5, 4.5, 1.5, 3, 1, nn.ReLU, None),
            (1.5, 4.5, 2.5, 5, 2, nn.ReLU, gate), (2.5, 7.5, 2.5, 5, 1, nn.ReLU, gate),
            (2.5, 15, 5, 3, 2, hard, None), (5, 12.5, 5, 3, 1, hard, None), (5, 30, 7, 3, 1, hard, gate),
            (7, 42, 10, 5, 2, hard, gate), (10, 60, 10, 5, 1, hard, gate))
    layers = [conv(3, w, 3, 2, act=hard)]
    for inputs, inner, outputs, kernel, stride, act, squeeze in rows:
        layers.append(inverted(int(inputs * w), int(inner * w), int(outputs * w), kernel, stride, act, squeeze))
    return nn.Sequential(*layers, conv(10 * w, 60 * w, act=hard), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(60 * w, 80 * w), hard(), nn.Dropout(0.2), nn.Linear(80 * w, classes))


def efficientnet(width, classes, size):
    swish = nn.SiLU
    layers, channels = [conv(3, 2 * width, 3, 2, act=swish)], 2 * width
    for expand, outputs, count, kernel, stride in ((1, 1, 1, 3, 1), (6, 1.5, 2, 3, 2), (6, 2.5, 2, 5, 2), (6, 5, 3, 3, 2),
                                                   (6, 7, 3, 5, 1), (6, 12, 4, 5, 2), (6, 20, 1, 3, 1)):
        for block in range(count):
            out = int(outputs * width)
            gate = lambda c, n=channels: Squeeze(c, max(n // 4, 1), swish, nn.Sigmoid)
            layers.append(inverted(channels, expand * channels, out, kernel, stride if not block else 1, swish, gate))
            channels = out
    return nn.Sequential(*layers, conv(channels, 80 * width, act=swish), Head(80 * width, classes, 0.2))


class LastNorm(nn.Module):
    """Layer normalisation over the channels of N x C x H x W."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels, eps=1e-6)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNeXtBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.depth = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.body = nn.Sequential(nn.LayerNorm(channels, eps=1e-6), nn.Linear(channels, 4 * channels), nn.GELU(),
                                  nn.Linear(4 * channels, channels))
        self.gamma = nn.Parameter(torch.rand(channels))

    def forward(self, x):
        y = self.gamma * self.body(self.depth(x).permute(0, 2, 3, 1))
        return x + y.permute(0, 3, 1, 2)


def convnext(width, counts, classes, size):
    layers, channels = [nn.Conv2d(3, width, 4, 4), LastNorm(width)], width
    for stage, count in enumerate(counts):
        if stage:
            layers += [LastNorm(channels), nn.Conv2d(channels, 2 * channels, 2, 2)]
            channels *= 2
        layers += [ConvNeXtBlock(channels) for _ in range(count)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), LastNorm(channels), nn.Flatten(),
                         nn.Linear(channels, classes))


class QuickGELU(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = self.qkv(x).reshape(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(n, length, width))


class Transformer(nn.Module):
    def __init__(self, patch, width, heads, depth, outputs, size, clip):
        super().__init__()
        act = QuickGELU if clip else nn.GELU
        self.patches = nn.Conv2d(3, width, patch, patch, bias=not clip)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.1)
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.1)
        self.before = nn.LayerNorm(width) if clip else nn.Identity()
        self.blocks = nn.Sequential(*[nn.Sequential(
            Residual(nn.Sequential(nn.LayerNorm(width), Attention(width, heads))),
            Residual(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), act(),
                                   nn.Linear(4 * width, width)))) for _ in range(depth)])
        self.after = nn.LayerNorm(width)
        self.head = nn.Linear(width, outputs, bias=not clip)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        x = self.blocks(self.before(x))
        return self.head(self.after(x[:, 0]))


# name: (maker of the small one, its size, maker of the full one, its size, operator set)
FAMILIES = {
    "vgg19": (lambda: vgg(16, 10, 32, 128), 128, lambda: vgg(64, 1000, 4096, 224), 224, 9),
    "squeezenet": (lambda: squeezenet(4, 10, 64), 64, lambda: squeezenet(16, 1000, 224), 224, 10),
    "resnet50": (lambda: resnet(8, (1, 2, 1, 1), 10), 64, lambda: resnet(64, (3, 4, 6, 3), 1000), 224, 11),
    "resnext50": (lambda: resnet(8, (1, 1, 1, 1), 10, 4, 2), 64,
                  lambda: resnet(64, (3, 4, 6, 3), 1000, 32, 2), 224, 12),
    "densenet121": (lambda: densenet(8, (2, 3, 2), 10, 64), 64,
                    lambda: densenet(32, (6, 12, 24, 16), 1000, 224), 224, 7),
    "mobilenet_v1": (lambda: mobilenet1(8, 10, 64), 64, lambda: mobilenet1(32, 1000, 224), 224, 13),
    "mobilenet_v2": (lambda: mobilenet2(8, 10, 64), 64, lambda: mobilenet2(16, 1000, 224), 224, 14),
    "mobilenet_v3": (lambda: mobilenet3(8, 10, 64), 64, lambda: mobilenet3(16, 1000, 224), 224, 14),
    "efficientnet": (lambda: efficientnet(8, 10, 64), 64, lambda: efficientnet(16, 1000, 224), 224, 13),
    "convnext": (lambda: convnext(16, (1, 1, 2, 1), 10, 64), 64,
                 lambda: convnext(96, (3, 3, 9, 3), 1000, 224), 224, 13),
    "vit": (lambda: Transformer(16, 32, 4, 2, 10, 64, False), 64,
            lambda: Transformer(16, 768, 12, 12, 1000, 224, False), 224, 17),
    "clip": (lambda: Transformer(16, 32, 4, 2, 16, 64, True), 64,
             lambda: Transformer(32, 768, 12, 12, 512, 224, True), 224, 14),
}


def randomise(net):
    """Weights that keep the size of the numbers, statistics that are not 0 and 1."""
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
            if module.bias is not None:
                nn.init.normal_(module.bias, std=0.1)
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.8, 1.4)
            nn.init.uniform_(module.weight, 0.6, 1.0)
            nn.init.normal_(module.bias, std=0.1)
        if isinstance(module, nn.LayerNorm):
            nn.init.uniform_(module.weight, 0.6, 1.4)
            nn.init.normal_(module.bias, std=0.1)
    return net.eval()


def export(net, path, size, opset, keep_norms):
    mode = torch.onnx.TrainingMode.PRESERVE if keep_norms else torch.onnx.TrainingMode.EVAL
    torch.onnx.export(net, torch.zeros(2, 3, size, size), path, opset_version=opset, training=mode,
                      do_constant_folding=not keep_norms, input_names=["image"], output_names=["logits"],
                      dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}})


def write(folder, name, full, images=2):
    small, small_size, large, large_size, opset = FAMILIES[name]
    torch.manual_seed(len(name))
    net, size = randomise((large if full else small)()), large_size if full else small_size
    x = torch.randn(images, 3, size, size)
    with torch.no_grad():
        y = net(x)
    # Half of the families with their batch normalisations in the file, half with them folded.
    export(net, os.path.join(folder, name + ".onnx"), size, opset, sorted(FAMILIES).index(name) % 2 == 0)
    x.numpy().tofile(os.path.join(folder, name + ".in"))
    y.numpy().tofile(os.path.join(folder, name + ".out"))


def main():
    verb, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:] or FAMILIES
    torch.set_num_threads(1)
    for name in names:
        write(folder, name, verb == "full")


if __name__ == "__main__":
    main()
