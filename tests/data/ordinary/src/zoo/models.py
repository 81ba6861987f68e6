import math

import torch
import torch.nn as nn
import torch.nn.functional as F

LATENT = 100


class SmallCNN(nn.Module):
    def __init__(self, in_channels=1, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(64 * 12 * 12, 128)
        self.fc2 = nn.Linear(128, num_classes)

    def forward(self, image):
        x = F.relu(self.conv1(image))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.dropout(torch.flatten(x, 1))
        return self.fc2(F.relu(self.fc1(x)))


class MLP(nn.Module):
    def __init__(self, in_features=784, hidden=256, out_features=10):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(in_features, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, out_features)
        )

    def forward(self, x):
        return self.layers(x)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class TextTransformer(nn.Module):
    def __init__(self, vocab_size=1000, d_model=64, nhead=4, num_layers=2, num_classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 128, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, input_ids, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        x = self.encoder(self.pos(self.embed(input_ids)), src_key_padding_mask=mask)
        return self.head(x.mean(1))


class Forecaster(nn.Module):
    def __init__(self, n_features=5, hidden_size=32):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden_size, num_layers=2, batch_first=True)
        self.out = nn.Linear(hidden_size, 1)

    def forward(self, series):
        out, _ = self.lstm(series)
        return self.out(out[:, -1])


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(in_ch, out_ch, 3, padding=1), nn.BatchNorm2d(out_ch), nn.ReLU(inplace=True),
            nn.Conv2d(out_ch, out_ch, 3, padding=1), nn.BatchNorm2d(out_ch), nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class UNet(nn.Module):
    def __init__(self, in_channels=3, out_channels=1, features=(8, 16)):
        super().__init__()
        self.inc = DoubleConv(in_channels, features[0])
        self.down = nn.Sequential(nn.MaxPool2d(2), DoubleConv(features[0], features[1]))
        self.up = nn.ConvTranspose2d(features[1], features[0], 2, stride=2)
        self.dec = DoubleConv(features[1], features[0])
        self.out = nn.Conv2d(features[0], out_channels, 1)

    def forward(self, x):
        a = self.inc(x)
        b = self.up(self.down(a))
        return self.out(self.dec(torch.cat([a, b], dim=1)))


class Generator(nn.Module):
    def __init__(self, nz=LATENT, ngf=16, nc=3):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 4), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf), nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False), nn.Tanh(),
        )

    def forward(self, noise):
        return self.main(noise)
